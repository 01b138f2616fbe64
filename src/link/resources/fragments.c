/* Builds the lists of entry fragments of kernels; see fragments.h.
 *
 * Part of pass_properties. Compilers write AT_ENTRY_FRAGMENTS records for tcgen05 code, from sm_100
 * on. nvlink 13.0.88 treats these records in the same way on all targets (observed with patched
 * objects of sm_80 and sm_90). */
#include "link/resources/fragments.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/info_record.h"
#include "link/model/kernel_set.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

struct fragment_list {
    GROWING_ARRAY(uint32_t, words);
};

struct fragments {
    link_context *link;
    const struct kernel_sets *sets;
    struct fragment_list *lists;    /* by function index: the list of the kernel */
    GROWING_ARRAY(uint32_t, words); /* the words of all functions: each word once, sorted */
    struct kernel_holders *holders; /* by index in `words`: the kernels whose list has the word */
};

enum { MOST_WORDS = UINT16_MAX / 4 };

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void collect_words(link_context *link, struct fragments *fragments,
                          const struct function *function)
{
    const struct rare_function *rare = function_rare(function);
    for (size_t i = 0; i < rare->fragments_count; i++)
        for (uint64_t w = 0; w < rare->fragments[i].size / 4; w++)
            *ARENA_APPEND(&link->arena, fragments, words) =
                load_u32(rare->fragments[i].data + 4 * w);
}

struct fragments *fragments_prepare(link_context *link, const struct kernel_sets *sets)
{
    struct fragments *fragments = ARENA_NEW(&link->arena, struct fragments);
    fragments->link = link;
    fragments->sets = sets;
    for (size_t i = 0; i < link->functions_count; i++)
        collect_words(link, fragments, link->functions[i]);
    if (!fragments->words_count)
        return fragments;
    qsort(fragments->words, fragments->words_count, sizeof *fragments->words, by_value);
    size_t count = 0;
    for (size_t i = 0; i < fragments->words_count; i++)
        if (!count || fragments->words[count - 1] != fragments->words[i])
            fragments->words[count++] = fragments->words[i];
    fragments->words_count = count;
    fragments->holders = ARENA_ARRAY(&link->arena, struct kernel_holders, count);
    fragments->lists = ARENA_ARRAY(&link->arena, struct fragment_list, link->functions_count);
    return fragments;
}

static struct kernel_holders *holders_of_fragment(const struct fragments *fragments, uint32_t word)
{
    const uint32_t *found = bsearch(&word, fragments->words, fragments->words_count,
                                    sizeof *fragments->words, by_value);
    return &fragments->holders[found - fragments->words];
}

static void append_fragment(struct fragments *fragments, uint32_t kernel_id, uint32_t word)
{
    link_context *link = fragments->link;
    struct fragment_list *list = &fragments->lists[fragments->sets->kernels[kernel_id]->index];
    if (list->words_count <= MOST_WORDS)
        *ARENA_APPEND(&link->arena, list, words) = word;
}

void fragments_start_with(struct fragments *fragments, uint32_t kernel_id)
{
    const struct rare_function *kernel = function_rare(fragments->sets->kernels[kernel_id]);
    if (!kernel->fragments_count)
        return;
    struct bytes own = kernel->fragments[kernel->fragments_count - 1];
    for (uint64_t w = 0; w < own.size / 4; w++) {
        uint32_t word = load_u32(own.data + 4 * w);
        append_fragment(fragments, kernel_id, word);
        kernel_set_add(&fragments->link->arena, &holders_of_fragment(fragments, word)->kernels,
                       kernel_id);
    }
}

static void add_word(struct fragments *fragments, const struct kernel_set *set, uint32_t word,
                     const struct function *left_out)
{
    const struct kernel_holders *holders = holders_of_fragment(fragments, word);
    EACH_KERNEL_THAT_LACKS(id, set, holders)
    {
        if (fragments->sets->kernels[id] != left_out)
            append_fragment(fragments, id, word);
    }
}

static void mark_word(struct fragments *fragments, const struct kernel_set *set, uint32_t word,
                      const struct function *left_out)
{
    kernel_holders_add(&fragments->link->arena, holders_of_fragment(fragments, word), set,
                       kernel_sets_number(fragments->sets, left_out));
}

void fragments_propagate(struct fragments *fragments, const struct kernel_set *set,
                         const struct function *from, const struct function *left_out,
                         bool each_once)
{
    const struct rare_function *rare = function_rare(from);
    for (size_t i = 0; i < rare->fragments_count; i++) {
        struct bytes record = rare->fragments[i];
        for (uint64_t w = 0; w < record.size / 4; w++) {
            add_word(fragments, set, load_u32(record.data + 4 * w), left_out);
            if (each_once)
                mark_word(fragments, set, load_u32(record.data + 4 * w), left_out);
        }
        for (uint64_t w = 0; w < record.size / 4; w++)
            mark_word(fragments, set, load_u32(record.data + 4 * w), left_out);
    }
}

/* Returns a record with a kernel's list. Reports an error if the list is too long for a record. */
struct output_record fragments_record(struct fragments *fragments, const struct function *kernel)
{
    link_context *link = fragments->link;
    struct output_record record = {.format = INFO_FORMAT_SIZED, .code = EIATTR_AT_ENTRY_FRAGMENTS};
    if (!fragments->lists)
        return record;
    const struct fragment_list *list = &fragments->lists[kernel->index];
    const char *name = symbol_name(kernel->symbol);
    if (list->words_count > MOST_WORDS) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_FRAGMENTS_LIMIT,
                          kernel->symbol->object->name, name, name, (unsigned)MOST_WORDS);
        return record;
    }
    if (!list->words_count)
        return record;
    uint8_t *payload = ARENA_ARRAY(&link->arena, uint8_t, 4 * list->words_count);
    for (size_t i = 0; i < list->words_count; i++)
        store_u32(payload + 4 * i, list->words[i]);
    record.payload = payload;
    record.value = (uint16_t)(4 * list->words_count);
    return record;
}
