/* Links the input in each way in which a program can hand inputs over: from memory, after
 * warpld_examine, and through a library that links share. All ways must give the same status,
 * output and messages. A link without a target must report why it fails; it looks for the targets
 * of its inputs.
 *
 * The first byte chooses the target and an option, the rest is a concatenation of device objects,
 * or one file of another kind. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "damage/link_files.h"
#include "mutation.h"
#include "warpld.h"

enum way { FROM_MEMORY, EXAMINED, SHARED, WITHOUT_TARGET };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct messages {
    unsigned errors;
    uint64_t hash; /* of all texts */
};

/* FNV-1a. */
static void add_to_hash(uint64_t *hash, const char *text)
{
    for (; *text; text++)
        *hash = (*hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
}

static void note_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    messages->errors += diagnostic->severity >= WARPLD_ERROR;
    add_to_hash(&messages->hash, diagnostic->text);
}

static struct warpld_link *create_link(unsigned bits, enum way way, struct messages *messages)
{
    static const char *const TARGETS[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                          "sm_90", "sm_100", "sm_103", "sm_120"};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = way == WITHOUT_TARGET ? NULL : TARGETS[bits % 8];
    options.relocatable = bits & 8;
    options.as_nvlink = bits & 16;
    options.allow_newer_toolkit = true;
    options.diagnostic = note_message;
    options.diagnostic_context = messages;
    struct warpld_link *link;
    if (warpld_create(&options, &link) != WARPLD_OK)
        abort();
    return link;
}

static void examine(struct warpld_link *link, const struct files *files, size_t index)
{
    struct warpld_examined examined = {.size = sizeof examined};
    if (warpld_examine(link, files->bytes[index], files->sizes[index], &examined) != WARPLD_OK)
        abort();
    if (examined.problem && !*examined.problem)
        abort();
}

static void share(struct warpld_link *link, const struct files *files)
{
    struct warpld_library *library;
    if (warpld_library_create(&library) != WARPLD_OK)
        abort();
    for (size_t i = 0; i < files->count; i++)
        if (warpld_library_add_memory(library, "input", files->bytes[i], files->sizes[i]) !=
            WARPLD_OK)
            abort();
    warpld_add_shared(link, library);
    warpld_library_destroy(library);
}

static struct warpld_link *link_in_way(unsigned bits, const struct files *files, enum way way,
                                       enum warpld_status *status, struct messages *messages)
{
    *messages = (struct messages){0};
    struct warpld_link *link = create_link(bits, way, messages);
    for (size_t i = 0; way != SHARED && i < files->count; i++) {
        if (way == EXAMINED)
            examine(link, files, i);
        warpld_add_memory(link, "input", files->bytes[i], files->sizes[i]);
    }
    if (way == SHARED)
        share(link, files);
    *status = warpld_run(link);
    if ((*status != WARPLD_OK) != (messages->errors > 0))
        abort(); /* failed without a message, or succeeded after an error */
    return link;
}

static bool have_same_output(const struct warpld_link *a, const struct warpld_link *b)
{
    const void *output[2];
    size_t size[2];
    if (warpld_output((struct warpld_link *)a, &output[0], &size[0]) != WARPLD_OK ||
        warpld_output((struct warpld_link *)b, &output[1], &size[1]) != WARPLD_OK)
        return false;
    return size[0] == size[1] && !memcmp(output[0], output[1], size[0]);
}

static void link_in_all_ways(unsigned bits, const struct files *files)
{
    enum warpld_status status, other_status;
    struct messages messages, other_messages;
    struct warpld_link *link = link_in_way(bits, files, FROM_MEMORY, &status, &messages);
    for (enum way way = EXAMINED; way <= SHARED; way++) {
        struct warpld_link *other = link_in_way(bits, files, way, &other_status, &other_messages);
        if (other_status != status || other_messages.hash != messages.hash ||
            (status == WARPLD_OK && !have_same_output(link, other)))
            abort();
        warpld_destroy(other);
    }
    warpld_destroy(link);
    warpld_destroy(link_in_way(bits, files, WITHOUT_TARGET, &other_status, &other_messages));
    if (other_status == WARPLD_OK)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files files = {.count = 0};
    if (!size)
        return 0;
    unsigned bits = *data++;
    size--;
    if (kind_of((struct bytes){data, size}) == INPUT_DEVICE_ELF) {
        cut_into_files(&files, data, size);
    } else {
        files.bytes[0] = malloc(size ? size : 1);
        if (!files.bytes[0])
            abort();
        memcpy(files.bytes[0], data, size);
        files.sizes[0] = size;
        files.count = 1;
    }
    link_in_all_ways(bits, &files);
    free_files(&files);
    return 0;
}
