/* Runs the commands of cubintool, except disassemble, on the input, with text and JSON as output.
 *
 * The input is one file or two; it is split at the second ELF magic number. diff compares the two
 * files, or the only file with itself. An unused padding byte of the first file's header chooses
 * the options. No command may read outside the files, hang or exit. Outputs and messages are
 * discarded. mutate_elf.c generates inputs that are nearly valid. */
#define _GNU_SOURCE /* memfd_create */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tool/options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_LIMIT = 2, OPTIONS_BYTE = 9 };

/* The commands open files by name, so a file in memory gets a name in /proc. */
struct memory_file {
    int descriptor;
    char path[32];
};

static struct memory_file files[FILE_LIMIT];

static void make_file(struct memory_file *file)
{
    file->descriptor = memfd_create("input", MFD_CLOEXEC);
    if (file->descriptor < 0)
        abort();
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->descriptor);
}

/* Discards what is written to stdout and stderr. The descriptors 1 and 2 remain open, because
 * the sanitizers and libFuzzer write to them. */
static void start(void)
{
    if (files[0].descriptor)
        return;
    for (int i = 0; i < FILE_LIMIT; i++)
        make_file(&files[i]);
    stderr = fopen("/dev/null", "w");
    stdout = fopen("/dev/null", "w");
    if (!stderr || !stdout)
        abort();
}

static void fill(const struct memory_file *file, const uint8_t *data, size_t size)
{
    if (ftruncate(file->descriptor, 0) || pwrite(file->descriptor, data, size, 0) != (ssize_t)size)
        abort();
}

static size_t end_of_first(const uint8_t *data, size_t size)
{
    for (size_t at = 1; at + 4 <= size; at++)
        if (!memcmp(data + at, "\177ELF", 4))
            return at;
    return size;
}

static void run_command(const char *name, struct tool_options options)
{
    for (int json = 0; json < 2; json++) {
        options.json = json;
        options.dot = options.dot && !json;
        tool_command_find(name)->function(&options);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const EACH[] = {"list", "dump", "verify",  "resources",
                                       "uidx", "size", "symbols", "graph"};
    start();
    size_t end = end_of_first(data, size);
    fill(&files[0], data, end);
    fill(&files[1], end < size ? data + end : data, end < size ? size - end : end);
    const char *paths[] = {files[0].path, files[1].path, files[1].path};
    unsigned bits = size > OPTIONS_BYTE ? data[OPTIONS_BYTE] : 0;
    struct tool_options options = {
        .files = paths,
        .file_count = end < size ? 2 : 1,
        .limit = bits & 1 ? 1 : SIZE_MAX,
        .names = bits & 2 ? NAMES_READABLE : NAMES_OF_FILE,
        .raw = bits & 4,
        .dot = bits & 4,
        .strict = bits & 8,
    };
    for (size_t i = 0; i < sizeof EACH / sizeof *EACH; i++)
        run_command(EACH[i], options);
    options.file_count = 2;
    run_command("diff", options);
    paths[1] = "";          /* part of every name, so it selects the only kernel */
    options.file_count = 3; /* the second file is an object of the link */
    run_command("explain", options);
    return 0;
}
