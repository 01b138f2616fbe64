/* Replays files through a fuzz target without libFuzzer, so that every input that once broke
 * something is tried again wherever the tests run:
 *
 *     fuzz_TARGET FILE...
 *
 * A finding ends the program, by a signal or by a sanitizer. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The whole file in memory of exactly its size, so that AddressSanitizer sees reads past its end.
 * NULL when it cannot be read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    long length = fseek(file, 0, SEEK_END) ? -1 : ftell(file);
    rewind(file);
    /* One byte for an empty file, whose size is still given as 0. */
    uint8_t *data = length < 0 ? NULL : malloc(length ? (size_t)length : 1);
    *size = data ? fread(data, 1, (size_t)length, file) : 0;
    fclose(file);
    if (data && *size != (size_t)length) {
        free(data);
        return NULL;
    }
    return data;
}

int main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        size_t size;
        uint8_t *data = read_file(paths[i], &size);
        if (!data) {
            fprintf(stderr, "cannot read %s\n", paths[i]);
            return 1;
        }
        fprintf(stderr, "%s: %zu bytes\n", paths[i], size);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    return 0;
}
