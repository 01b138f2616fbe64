/* Assigns numbers to inputs by their names. An input gets the next number when input_number is
 * first called for it. */
#ifndef WARPLD_REPORT_INPUT_NUMBERS_H
#define WARPLD_REPORT_INPUT_NUMBERS_H

#include <stdint.h>

#include "base/arena.h"
#include "base/name_table.h"

struct numbered_input {
    struct name name;
    uint32_t number;
};

struct input_numbers {
    struct name_table table;
    GROWING_ARRAY(const char *, names); /* the name of each input, indexed by its number */
    const char *last; /* name that was looked up last; the next query often has the same one */
    uint32_t last_number;
};

void input_numbers_init(struct input_numbers *inputs, struct arena *arena);

/* Returns the number of the input, or UINT32_MAX for NULL. The name must live as long as the
 * arena. */
uint32_t input_number(struct input_numbers *inputs, const char *name);

#endif
