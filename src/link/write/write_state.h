/* The state of the writer: the result, and the windows of the file. */
#ifndef WARPLD_LINK_WRITE_WRITE_STATE_H
#define WARPLD_LINK_WRITE_WRITE_STATE_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "link/model/output.h"

struct write_state {
    struct bytes result;
    GROWING_ARRAY(struct file_window, windows); /* cover the file, in order */
    bool was_written;                           /* the output was written at least once */
    atomic_bool has_wrong_size;   /* a section was not written with the planned size */
    atomic_uint lost_symbol_list; /* index of the first list of relocations with an entry that has
                                     lost its symbol; 0 if there is none */
    bool has_warned_of_symbols;
};

#endif
