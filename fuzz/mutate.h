/* The custom mutator of the fuzz targets, in libFuzzer's form. */
#ifndef WARPLD_FUZZ_MUTATE_H
#define WARPLD_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* Changes an input in place. Returns its new size, which is at most max_size. The same seed makes
 * the same changes, except in programs that have LLVMFuzzerMutate. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* libFuzzer's own mutations of bytes. NULL in programs that are not linked with libFuzzer. */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
