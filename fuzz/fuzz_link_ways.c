/* Links the input in each way in which a program can hand inputs over: from memory, after
 * warpld_examine, through a library that links share, and with the data that an earlier link kept
 * about the inputs; all but the first on several threads. All ways must give the same status,
 * output and messages. A link without a target must report why it fails; it looks for the targets
 * of its inputs.
 *
 * The first byte chooses the target and two options, the rest is a concatenation of device objects,
 * or one file of another kind. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "damage/link_files.h"
#include "mutation.h"
#include "warpld.h"

enum { BIT_RELOCATABLE = 8, BIT_AS_NVLINK = 16 }; /* the lower bits are the target */

enum way { FROM_MEMORY, EXAMINED, SHARED, KEEPING, PREPARED, WITHOUT_TARGET };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the link of way KEEPING kept about each input. */
struct store {
    struct kept {
        const void *input;
        void *data;
        size_t size;
    } kept[FILE_LIMIT];
    size_t count;
    size_t found; /* how often a link of way PREPARED found one of them */
};

struct messages {
    unsigned errors;
    uint64_t hash; /* of all severities, codes and texts, in order */
};

/* FNV-1a, of the text with its terminating NUL. */
static void add_to_hash(uint64_t *hash, const char *text)
{
    do
        *hash = (*hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    while (*text++);
}

static void note_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    messages->errors += diagnostic->severity >= WARPLD_ERROR;
    messages->hash ^= diagnostic->severity;
    add_to_hash(&messages->hash, diagnostic->code);
    add_to_hash(&messages->hash, diagnostic->text);
}

struct outcome {
    struct warpld_link *link;
    enum warpld_status status; /* of the link, or of the output that is written later */
    const void *output;
    size_t size;
};

static void keep(void *context, const struct warpld_prepared_input *input, const void *data,
                 size_t data_size)
{
    struct store *store = context;
    if (store->count == FILE_LIMIT)
        return;
    void *copy = malloc(data_size);
    if (!copy)
        abort();
    memcpy(copy, data, data_size);
    store->kept[store->count++] = (struct kept){input->data, copy, data_size};
}

static bool find(void *context, const struct warpld_prepared_input *input, const void **data,
                 size_t *data_size)
{
    struct store *store = context;
    for (size_t i = 0; i < store->count; i++)
        if (store->kept[i].input == input->data) {
            *data = store->kept[i].data;
            *data_size = store->kept[i].size;
            store->found++;
            return true;
        }
    return false;
}

static void free_store(struct store *store)
{
    for (size_t i = 0; i < store->count; i++)
        free(store->kept[i].data);
}

static struct warpld_link *create_link(unsigned bits, enum way way, struct messages *messages,
                                       struct store *store)
{
    static const char *const TARGETS[] = {"sm_75", "sm_80",  "sm_86",  "sm_89",
                                          "sm_90", "sm_100", "sm_103", "sm_120"};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = way == WITHOUT_TARGET ? NULL : TARGETS[bits % 8];
    options.relocatable = bits & BIT_RELOCATABLE;
    options.as_nvlink = bits & BIT_AS_NVLINK;
    options.allow_newer_toolkit = true;
    options.threads = way == FROM_MEMORY ? 1 : 4;
    options.diagnostic = note_message;
    options.diagnostic_context = messages;
    bool prepares = way == KEEPING || way == PREPARED; /* the library needs both callbacks */
    options.keep_prepared = prepares ? keep : NULL;
    options.find_prepared = prepares ? find : NULL;
    options.prepared_context = store;
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

/* Links and returns the outcome. The caller destroys outcome.link. */
static struct outcome link_in_way(unsigned bits, const struct files *files, enum way way,
                                  struct messages *messages, struct store *store)
{
    *messages = (struct messages){.hash = UINT64_C(0xcbf29ce484222325)};
    struct warpld_link *link = create_link(bits, way, messages, store);
    struct outcome outcome = {.link = link};
    for (size_t i = 0; way != SHARED && i < files->count; i++) {
        if (way == EXAMINED)
            examine(link, files, i);
        warpld_add_memory(link, "input", files->bytes[i], files->sizes[i]);
    }
    if (way == SHARED)
        share(link, files);
    outcome.status = warpld_run(link);
    if (outcome.status == WARPLD_OK)
        outcome.status = warpld_output(link, &outcome.output, &outcome.size);
    if ((outcome.status != WARPLD_OK) != (messages->errors > 0))
        abort(); /* failed without a message, or succeeded after an error */
    return outcome;
}

static bool is_same(const struct outcome *a, const struct outcome *b)
{
    return a->status == b->status && a->size == b->size &&
           (!a->size || !memcmp(a->output, b->output, a->size));
}

static void link_in_all_ways(unsigned bits, const struct files *files)
{
    struct messages messages, other_messages;
    struct store store = {.count = 0};
    struct outcome first = link_in_way(bits, files, FROM_MEMORY, &messages, &store), other;
    for (enum way way = EXAMINED; way <= PREPARED; way++) {
        other = link_in_way(bits, files, way, &other_messages, &store);
        if (!is_same(&first, &other) || other_messages.hash != messages.hash)
            abort();
        if (way == PREPARED && store.count && !store.found)
            abort();
        warpld_destroy(other.link);
    }
    warpld_destroy(first.link);
    other = link_in_way(bits, files, WITHOUT_TARGET, &other_messages, &store);
    if (other.status == WARPLD_OK)
        abort();
    warpld_destroy(other.link);
    free_store(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct files files = {.count = 0};
    if (!size)
        return 0;
    unsigned bits = *data++;
    size--;
    if (kind_of((struct bytes){data, size}) == INPUT_DEVICE_ELF)
        cut_into_files(&files, data, size);
    else
        add_file(&files, data, size);
    link_in_all_ways(bits, &files);
    free_files(&files);
    return 0;
}
