/* Links the input through the public interface.
 *
 * The input is a concatenation of files, split at each magic of an ELF or of an index file of
 * unified tables. The first file's header chooses the target and, with an unused padding byte, the
 * options. A link that succeeds must write a device ELF that our own reader opens, and the same
 * bytes when repeated; a link that fails must report why. mutate_elf.c generates nearly valid
 * inputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "format/architecture.h"
#include "format/elf_view.h"
#include "format/unified_index.h"
#include "warpld.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILE_LIMIT = 4, OPTIONS_BYTE = 9, SM_BYTE = 49 };

struct files {
    uint8_t *bytes[FILE_LIMIT]; /* of exactly the file's size, for AddressSanitizer */
    size_t sizes[FILE_LIMIT];
    size_t count;
};

static bool file_starts_at(const uint8_t *data, size_t size, size_t offset)
{
    struct bytes rest = {data + offset, size - offset};
    return unified_index_identify(rest) || (rest.size >= 4 && !memcmp(rest.data, "\177ELF", 4));
}

static void add_file(struct files *files, const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    files->bytes[files->count] = copy;
    files->sizes[files->count++] = size;
}

static void cut_into_files(struct files *files, const uint8_t *data, size_t size)
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

static void free_files(struct files *files)
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
    for (size_t i = 0; i < count; i++)
        if (files->sizes[0] > SM_BYTE && all[i].number == files->bytes[0][SM_BYTE]) {
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
    ++*(unsigned *)context;
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

static struct warpld_link *run_link(const struct files *files, enum warpld_status *status,
                                    unsigned *diagnostics)
{
    static const char *const KERNELS[] = {"k"};
    char architecture[16];
    unsigned bits = files->sizes[0] > OPTIONS_BYTE ? files->bytes[0][OPTIONS_BYTE] : 0;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    choose_architecture(files, architecture);
    options.architecture = architecture;
    options.diagnostic = check_diagnostic;
    options.diagnostic_context = diagnostics;
    options.debug = bits & 1;
    options.warnings_are_errors = bits & 2;
    options.kernels_used = KERNELS;
    options.kernels_used_count = bits & 4 ? 1 : 0;
    options.verbose = bits & 8;
    options.suppress_stack_size_warning = bits & 16;
    for (size_t i = 0; i < files->count; i++)
        if (is_index(files, i)) {
            options.unified_index = files->bytes[i];
            options.unified_index_size = files->sizes[i];
        }
    options.merge_constants = bits & 32;
    options.remove_unused_constants = bits & 64;
    options.trace = bits & 128 ? WARPLD_TRACE_ALL : 0;
    options.trace_line = check_trace;
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

static void out_of_memory(void *owner)
{
    (void)owner;
    abort();
}

static bool print_problem(void *context, const struct elf_problem *problem)
{
    (void)context;
    fprintf(stderr, "output: section %u (%s) #%llu: %s\n", problem->section,
            problem->section_name ? problem->section_name : "-", (unsigned long long)problem->index,
            elf_rule_text(problem->rule));
    return true;
}

static void check_output(const void *data, size_t size)
{
    struct arena arena;
    struct elf_view view;
    arena_init(&arena, out_of_memory, NULL);
    if (!elf_view_open(&view, (struct bytes){data, size}, &arena, print_problem, NULL) ||
        view.type != ET_EXEC)
        abort();
    arena_destroy(&arena);
}

static void check_same_again(const struct files *files, const void *data, size_t size)
{
    enum warpld_status status;
    unsigned diagnostics = 0;
    const void *again;
    size_t size_again;
    struct warpld_link *link = run_link(files, &status, &diagnostics);
    if (status != WARPLD_OK || warpld_output(link, &again, &size_again) != WARPLD_OK ||
        size_again != size || memcmp(again, data, size) != 0)
        abort();
    warpld_destroy(link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files files;
    enum warpld_status status;
    unsigned diagnostics = 0;
    const void *output;
    size_t output_size;
    cut_into_files(&files, data, size);
    struct warpld_link *link = run_link(&files, &status, &diagnostics);
    if (status != WARPLD_OK && !diagnostics)
        abort(); /* failed without a message */
    bool has_output = warpld_output(link, &output, &output_size) == WARPLD_OK;
    if (has_output != (status == WARPLD_OK))
        abort();
    if (has_output) {
        check_output(output, output_size);
        check_same_again(&files, output, output_size);
    }
    warpld_destroy(link);
    free_files(&files);
    return 0;
}
