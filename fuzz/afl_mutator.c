/* The custom mutator for AFL++: a library that afl-fuzz loads, named by
 * AFL_CUSTOM_MUTATOR_LIBRARY. AFL++'s page about custom mutators describes the interface. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

struct afl_mutator {
    uint8_t *buffer; /* the changed input, valid until the next one is made */
    size_t capacity;
    uint64_t random;
};

#define EXPORT __attribute__((visibility("default")))

/* The state of a mutator, which afl_custom_deinit releases; NULL if memory has run out. */
EXPORT void *afl_custom_init(void *afl, unsigned int seed);

/* Sets *changed to a changed copy of the input and returns its size. Returns 0 if the input is
 * empty or too long or if memory has run out; AFL++ then skips the input. The parameter `other` is
 * not used. */
EXPORT size_t afl_custom_fuzz(void *state, uint8_t *data, size_t size, uint8_t **changed,
                              const uint8_t *other, size_t other_size, size_t max_size);

EXPORT void afl_custom_deinit(void *state);

void *afl_custom_init(void *afl, unsigned int seed)
{
    (void)afl;
    struct afl_mutator *mutator = calloc(1, sizeof *mutator);
    if (mutator)
        mutator->random = (uint64_t)seed << 20 | 1;
    return mutator;
}

static bool reserve(struct afl_mutator *mutator, size_t capacity)
{
    if (capacity <= mutator->capacity)
        return true;
    uint8_t *buffer = realloc(mutator->buffer, capacity);
    if (!buffer)
        return false;
    mutator->buffer = buffer;
    mutator->capacity = capacity;
    return true;
}

size_t afl_custom_fuzz(void *state, uint8_t *data, size_t size, uint8_t **changed,
                       const uint8_t *other, size_t other_size, size_t max_size)
{
    struct afl_mutator *mutator = state;
    (void)other;
    (void)other_size;
    *changed = data;
    if (!size || size > max_size || !reserve(mutator, max_size))
        return 0;
    mutator->random = mutator->random * UINT64_C(6364136223846793005) + 1; /* of Knuth's MMIX */
    memcpy(mutator->buffer, data, size);
    *changed = mutator->buffer;
    return LLVMFuzzerCustomMutator(mutator->buffer, size, max_size,
                                   (unsigned)(mutator->random >> 32));
}

void afl_custom_deinit(void *state)
{
    struct afl_mutator *mutator = state;
    free(mutator->buffer);
    free(mutator);
}
