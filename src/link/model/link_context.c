/* Queries about the inputs that several passes need; see link_context.h. */
#include "link/model/link_context.h"

uint16_t inputs_virtual_sm(const link_context *link)
{
    uint16_t virtual_sm = link->target->number;
    for (size_t i = 0; i < link->objects_count; i++)
        if (link->objects[i]->virtual_sm < virtual_sm)
            virtual_sm = link->objects[i]->virtual_sm;
    return virtual_sm;
}

bool inputs_precede_volta(const link_context *link)
{
    enum { VOLTA = 70 };
    for (size_t i = 0; i < link->objects_count; i++)
        if (link->objects[i]->virtual_sm >= VOLTA)
            return false;
    return true;
}

/* A link takes about three bytes of memory for each byte of its inputs, including the memory of the
 * output (measured with up to 10,000 objects). But sets of kernels, and the data that is copied for
 * each kernel, can grow with the square of the size of the inputs. So the memory is limited, and a
 * malicious file cannot exhaust the machine's memory. */
void inputs_allow_memory(link_context *link, uint64_t size)
{
    enum { FOR_EACH_BYTE = 256 };
    if (link->options.memory_limit)
        return; /* a limit that the caller has set does not grow */
    bool fits = size <= (SIZE_MAX - link->arena.limit) / FOR_EACH_BYTE;
    link->arena.limit = fits ? link->arena.limit + (size_t)size * FOR_EACH_BYTE : SIZE_MAX;
}
