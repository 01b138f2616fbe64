/* Links the input through the public interface.
 *
 * The input is a concatenation of files; damage/link_files.h says how target and options are
 * chosen. A link that succeeds must write a device ELF in which cubintool verify finds nothing,
 * unless the link warned, and the same bytes when repeated; a link that fails must report why.
 * mutate_elf.c generates nearly valid inputs. */
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
        check_same_again(&files, output, output_size);
    }
    warpld_destroy(link);
    free_files(&files);
    return 0;
}
