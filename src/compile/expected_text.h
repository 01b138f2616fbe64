/* Takes the result of a compilation that began before its text was known: see ptx_job_expect in
 * ptx_compiler.h. */
#ifndef WARPLD_COMPILE_EXPECTED_TEXT_H
#define WARPLD_COMPILE_EXPECTED_TEXT_H

#include <stdbool.h>

#include "compile/batch.h"

/* Completes the batch with the result of ptx_job_compile_expected, and returns true. Returns false
 * if that result cannot be used, for example because the batch has other pending texts or other
 * arguments than expected. The caller must then compile the texts of the batch. */
bool expected_text_take(struct ptx_batch *batch);

#endif
