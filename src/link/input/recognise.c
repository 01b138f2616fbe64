/* Recognises a file by its first bytes; see recognise.h. */
#include "link/input/recognise.h"

#include <string.h>

/* Stops at NUL, which text does not contain: fat binaries in host objects can have readable PTX. */
bool is_ptx(struct bytes file)
{
    static const char DIRECTIVE[] = ".version";
    enum { SEARCHED = 4096, LENGTH = sizeof DIRECTIVE - 1 };
    uint64_t end = file.size < SEARCHED ? file.size : SEARCHED;
    for (uint64_t i = 0; i + LENGTH <= end && file.data[i]; i++)
        if ((i == 0 || file.data[i - 1] == '\n') && !memcmp(file.data + i, DIRECTIVE, LENGTH))
            return true;
    return false;
}
