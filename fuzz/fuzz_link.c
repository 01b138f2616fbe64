/* Links the input through the public interface.
 *
 * The input is a concatenation of files; damage/link_files.h says how the target and the options
 * are chosen. A link that succeeds must write a device ELF, and must write the same bytes if it is
 * repeated. Unless the link warned, cubintool verify must find no violation in the output. A link
 * that fails must report why. mutate_elf.c generates nearly valid inputs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage/link_files.h"
#include "damage/verify_output.h"
#include "warpld.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_violation(void *context, const char *rule, const char *section, const char *text)
{
    (void)context;
    fprintf(stderr, "output: %s: %s: %s\n", section, rule, text);
}

static void check_same_again(const struct files *files, const void *data, size_t size)
{
    enum warpld_status status;
    unsigned diagnostics[WARPLD_FATAL + 1] = {0};
    const void *again;
    size_t size_again;
    struct warpld_link *link = run_link(files, &status, diagnostics);
    if (status != WARPLD_OK || warpld_output(link, &again, &size_again) != WARPLD_OK ||
        size_again != size || memcmp(again, data, size) != 0)
        abort();
    warpld_destroy(link);
}

static void check_kernel_queries(struct warpld_link *link)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    struct warpld_need need = {.size = sizeof need};
    for (size_t i = 0; warpld_get_kernel(link, i, &kernel) == WARPLD_OK; i++)
        for (int resource = 0; resource <= WARPLD_RESOURCE_SHARED; resource++)
            for (size_t n = 0; n < 1000; n++)
                if (warpld_get_need(link, i, (enum warpld_resource)resource, n, &need))
                    break;
}

/* Checks that the pieces contain each byte of the output, and that each kept function has a reason
 * for which it is kept. */
static void check_queries(struct warpld_link *link, size_t output_size)
{
    struct warpld_piece piece = {.size = sizeof piece};
    struct warpld_function function = {.size = sizeof function};
    struct warpld_removed removed = {.size = sizeof removed};
    struct warpld_mention mention = {.size = sizeof mention};
    struct warpld_step step = {.size = sizeof step};
    uint64_t bytes = 0;
    size_t removed_count = 0, mentions = 0;
    for (size_t i = 0; warpld_get_piece(link, i, &piece) == WARPLD_OK; i++)
        bytes += piece.kind <= WARPLD_PIECE_PROGRAM_HEADERS ? piece.file_bytes : 0;
    if (bytes != output_size)
        abort();
    while (warpld_get_removed(link, removed_count, &removed) == WARPLD_OK)
        removed_count++;
    while (warpld_get_mention(link, mentions, &mention) == WARPLD_OK)
        mentions++;
    for (size_t i = 0; i < 100 && warpld_get_function(link, i, &function) == WARPLD_OK; i++)
        if (warpld_get_step(link, function.name, 0, &step) != WARPLD_OK && function.is_kept)
            abort();
    check_kernel_queries(link);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files files;
    enum warpld_status status;
    unsigned diagnostics[WARPLD_FATAL + 1] = {0};
    const void *output;
    size_t output_size;
    cut_into_files(&files, data, size);
    struct warpld_link *link = run_link(&files, &status, diagnostics);
    if (status != WARPLD_OK && !diagnostics[WARPLD_ERROR] && !diagnostics[WARPLD_FATAL])
        abort(); /* failed without a message */
    bool has_output = warpld_output(link, &output, &output_size) == WARPLD_OK;
    if (has_output != (status == WARPLD_OK))
        abort();
    if (has_output) {
        size_t violations =
            verify_output((struct bytes){output, output_size}, print_violation, NULL);
        if (violations && !diagnostics[WARPLD_WARNING])
            abort();
        check_queries(link, output_size);
        check_same_again(&files, output, output_size);
    }
    warpld_destroy(link);
    free_files(&files);
    return 0;
}
