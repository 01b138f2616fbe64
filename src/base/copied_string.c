/* Strings in memory from malloc; see copied_string.h. */
#include "base/copied_string.h"

#include <stdlib.h>
#include <string.h>

char *copied_string(struct bytes bytes)
{
    char *copy = malloc((size_t)bytes.size + 1);
    if (!copy)
        return NULL;
    if (bytes.size)
        memcpy(copy, bytes.data, (size_t)bytes.size);
    copy[bytes.size] = 0;
    return copy;
}
