/* What a file is, from its first bytes; see recognise.h. */
#include "link/recognise.h"

bool is_ptx(struct bytes file)
{
    static const char DIRECTIVE[] = ".version";
    enum { SEARCHED = 4096, LENGTH = sizeof DIRECTIVE - 1 };
    uint64_t end = file.size < SEARCHED ? file.size : SEARCHED;
    for (uint64_t i = 0; i + LENGTH <= end; i++)
        if ((i == 0 || file.data[i - 1] == '\n') && !memcmp(file.data + i, DIRECTIVE, LENGTH))
            return true;
    return false;
}
