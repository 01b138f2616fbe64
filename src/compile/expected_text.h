/* A text that a link is going to compile: the compiler starts before the text is known. */
#ifndef WARPLD_COMPILE_EXPECTED_TEXT_H
#define WARPLD_COMPILE_EXPECTED_TEXT_H

#include <stdbool.h>

#include "compile/batch.h"

/* Completes the batch with the result of ptx_job_compile_expected, if the expected text is the only
 * pending text of the batch and the arguments are as expected. Returns false if the texts of the
 * batch are still to be compiled. */
bool expected_text_take(struct ptx_batch *batch);

#endif
