/* Reads the call frame information of each function from .debug_frame. */
#ifndef WARPLD_TOOL_PROGRAM_CALL_FRAMES_H
#define WARPLD_TOOL_PROGRAM_CALL_FRAMES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "tool/program/program.h"

/* The unwinding rules of one function: those of its CIE, then those of its FDE. Both members are
 * empty if the function has no FDE. */
struct call_frame {
    struct bytes common; /* the whole CIE */
    struct bytes rules;  /* the rules of the FDE */
};

/* Returns an array with the indices of program->functions. Reading ends at a damaged CIE or FDE. */
struct call_frame *call_frames_read(const struct program *program, struct arena *arena);

#endif
