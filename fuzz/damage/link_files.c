/* Links concatenated files; see link_files.h. */
#include "link_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/unified_index.h"
#include "warpld.h"

enum { ABI_BYTE = 8, OLD_SM_BYTE = 48, SM_BYTE = 49 };

static bool file_starts_at(const uint8_t *data, size_t size, size_t offset)
{
    struct bytes rest = {data + offset, size - offset};
    return unified_index_identify(rest) || (rest.size >= 4 && !memcmp(rest.data, "\177ELF", 4));
}

void add_file(struct files *files, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    files->bytes[files->count] = copy;
    files->sizes[files->count++] = size;
}

void cut_into_files(struct files *files, const uint8_t *data, size_t size)
{
    size_t start = 0;
    files->count = 0;
    for (size_t at = 1; at < size && files->count + 1 < FILE_LIMIT; at++)
        if (file_starts_at(data, size, at)) {
            add_file(files, data + start, at - start);
            start = at;
        }
    add_file(files, data + start, size - start);
}

void free_files(struct files *files)
{
    for (size_t i = 0; i < files->count; i++)
        free(files->bytes[i]);
}

/* The first architecture with the SM number in the header, or sm_90. */
static void choose_architecture(const struct files *files, char name[16])
{
    size_t count;
    const struct architecture *all = architectures(&count);
    snprintf(name, 16, "sm_90");
    if (files->sizes[0] <= SM_BYTE)
        return;
    bool is_old = files->bytes[0][ABI_BYTE] == ABIVERSION_CUDA_12;
    unsigned number = files->bytes[0][is_old ? OLD_SM_BYTE : SM_BYTE];
    for (size_t i = 0; i < count; i++)
        if (all[i].number == number) {
            architecture_name(&all[i], name);
            return;
        }
}

static void check_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    if (!diagnostic->code || !diagnostic->text)
        abort();
    for (const char *c = diagnostic->text; *c; c++)
        if ((unsigned char)*c < ' ')
            abort(); /* a message is one line */
    unsigned *counts = context;
    counts[diagnostic->severity]++;
}

static bool is_index(const struct files *files, size_t i)
{
    return unified_index_identify((struct bytes){files->bytes[i], files->sizes[i]});
}

static void check_trace(void *context, const struct warpld_trace_line *line)
{
    (void)context;
    for (const char *c = line->text; *c; c++)
        if ((unsigned char)*c < ' ')
            abort(); /* a trace line is one line */
}

struct warpld_link *run_link(const struct files *files, enum warpld_status *status,
                             unsigned diagnostics[WARPLD_FATAL + 1])
{
    static const char *const KERNELS[] = {"k"};
    char architecture[16];
    unsigned bits = files->sizes[0] > OPTIONS_BYTE ? files->bytes[0][OPTIONS_BYTE] : 0;
    unsigned more = files->sizes[0] > MORE_OPTIONS_BYTE ? files->bytes[0][MORE_OPTIONS_BYTE] : 0;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    choose_architecture(files, architecture);
    options.architecture = architecture;
    options.diagnostic = check_diagnostic;
    options.diagnostic_context = diagnostics;
    options.debug = bits & OPTION_DEBUG;
    options.warnings_are_errors = bits & 2;
    options.kernels_used = KERNELS;
    options.kernels_used_count = bits & OPTION_KERNELS ? 1 : 0;
    options.verbose = bits & 8;
    options.suppress_stack_size_warning = bits & 16;
    for (size_t i = 0; i < files->count; i++)
        if (is_index(files, i)) {
            options.unified_index = files->bytes[i];
            options.unified_index_size = files->sizes[i];
        }
    options.merge_constants = bits & OPTION_MERGE_CONSTANTS;
    options.remove_unused_constants = bits & OPTION_REMOVE_CONSTANTS;
    options.trace = bits & 128 ? WARPLD_TRACE_ALL : 0;
    options.trace_line = check_trace;
    options.relocatable = more & OPTION_RELOCATABLE;
    options.allow_undefined_globals = more & 2;
    options.allow_newer_toolkit = true;
    struct warpld_link *link;
    if (warpld_create(&options, &link) != WARPLD_OK)
        abort();
    for (size_t i = 0; i < files->count; i++) {
        if (is_index(files, i))
            continue;
        char name[32];
        snprintf(name, sizeof name, "%zu.cubin", i);
        warpld_add_memory(link, name, files->bytes[i], files->sizes[i]);
    }
    *status = warpld_run(link);
    return link;
}
