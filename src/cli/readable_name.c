/* C++ names as nvlink shows them; see readable_name.h. */
#include "cli/readable_name.h"

const char *readable_name(struct arena *arena, const char *name)
{
    (void)arena;
    return name;
}
