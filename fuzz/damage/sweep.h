/* Damages each field of the section headers and tables in the device ELFs of an input, with each of
 * a list of values. Unlike random damage, a sweep reaches every pair of field and value. */
#ifndef WARPLD_FUZZ_DAMAGE_SWEEP_H
#define WARPLD_FUZZ_DAMAGE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

/* Receives an input with one damaged field. */
typedef void damaged_input_handler(void *context, uint8_t *data, size_t size);

struct sweep {
    damaged_input_handler *handler;
    void *context;
    /* The sweep numbers all damage, from 0, and skips numbers that are not `part` modulo `parts`.
     */
    uint64_t part;
    uint64_t parts;
    uint64_t next;
};

/* Passes the input to the handler once for each damage. Afterwards, the input is as before. */
void sweep_input(struct sweep *sweep, uint8_t *data, size_t size);

#endif
