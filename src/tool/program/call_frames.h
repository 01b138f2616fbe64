/* The call frame information of each function, from .debug_frame. */
#ifndef WARPLD_TOOL_PROGRAM_CALL_FRAMES_H
#define WARPLD_TOOL_PROGRAM_CALL_FRAMES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "tool/program/program.h"

/* The unwinding rules of one function. `rules` are those of its FDE. They continue the rules of the
 * CIE, which is `common`. Both are empty for a function without an FDE. */
struct call_frame {
    struct bytes common;
    struct bytes rules;
};

/* The result has an element for each function of the program. Records after a damaged one are not
 * read. */
struct call_frame *call_frames_read(const struct program *program, struct arena *arena);

#endif
