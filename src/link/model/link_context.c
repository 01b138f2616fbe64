/* Questions about inputs that several passes ask; declared in link.h. */
#include "link/model/link_context.h"

uint16_t inputs_virtual_sm(const link_context *link)
{
    uint16_t virtual_sm = link->objects_count ? UINT16_MAX : link->target->number;
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

/* A link takes about three bytes for each byte of its inputs, the output included (measured with up
 * to 10,000 objects). Sets of kernels and what is copied for each of them can grow with the square
 * of the inputs; a file that was made for that must not bring the machine down. */
void inputs_allow_memory(link_context *link, uint64_t size)
{
    enum { FOR_EACH_BYTE = 256 };
    bool fits = size <= (SIZE_MAX - link->arena.limit) / FOR_EACH_BYTE;
    link->arena.limit = fits ? link->arena.limit + (size_t)size * FOR_EACH_BYTE : SIZE_MAX;
}
