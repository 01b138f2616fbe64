/* The custom mutator of the fuzz targets. It changes a file of the input according to its kind. */
#include "mutate.h"

#include "mutation.h"

/* Changes a file of an unknown kind. If libFuzzer is linked, LLVMFuzzerMutate does that instead. */
static void mutate_unknown(struct fuzz_input *input)
{
    flip_bit(input, 0, input->size);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    static void (*const MUTATORS[INPUT_KINDS])(struct fuzz_input *) = {
        [INPUT_UNKNOWN] = mutate_unknown,   [INPUT_DEVICE_ELF] = mutate_elf,
        [INPUT_HOST_ELF] = mutate_host_elf, [INPUT_FAT_BINARY] = mutate_fat_binary,
        [INPUT_ARCHIVE] = mutate_archive,   [INPUT_INDEX] = mutate_index,
        [INPUT_PTX] = mutate_ptx,
    };
    struct fuzz_input input = {
        .data = data, .size = size, .max_size = max_size, .random = (uint64_t)seed << 20 | 1};
    enum { PLAIN_ONE_IN = 8, MOST_AT_ONCE = 6 };
    if (LLVMFuzzerMutate && draw(&input, PLAIN_ONE_IN) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint64_t count = 1 + draw(&input, MOST_AT_ONCE); count > 0; count--) {
        choose_file(&input);
        if (LLVMFuzzerMutate && input.kind == INPUT_UNKNOWN)
            return LLVMFuzzerMutate(data, input.size, max_size);
        MUTATORS[input.kind](&input);
    }
    return input.size;
}
