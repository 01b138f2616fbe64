/* Attributes that kernels inherit; see inherit.h.
 *
 * Part of properties. A kernel's record is raised in place; a kernel without one gets one behind
 * its other records, in the order in which the first record of each kind was read from the
 * functions that the kernel reaches. In a link with exactly one kernel nvlink counts every function
 * that stays, reached or not (observed with nvlink 13.0.88; the seven rules here are exact in some
 * thousand random links). */
#include "link/inherit.h"

#include <stdlib.h>

/* What each kind is made of; how it is inherited is in info_attribute.def. */
static const struct {
    uint8_t code;
    uint8_t format;
} KINDS[INHERITED_COUNT] = {
    [INHERITED_BARRIERS] = {EIATTR_NUM_BARRIERS, INFO_FORMAT_BYTE},
    [INHERITED_EXTERNS] = {EIATTR_EXTERNS, INFO_FORMAT_SIZED},
    [INHERITED_MBARRIERS] = {EIATTR_NUM_MBARRIERS, INFO_FORMAT_HALF},
    [INHERITED_RESERVED_SHARED] = {EIATTR_RESERVED_SMEM_USED, INFO_FORMAT_NONE},
    [INHERITED_CTAIDZ] = {EIATTR_CTAIDZ_USED, INFO_FORMAT_NONE},
    [INHERITED_CTA_INIT_COUNT] = {EIATTR_VRC_CTA_INIT_COUNT, INFO_FORMAT_BYTE},
    [INHERITED_TCGEN05_1CTA] = {EIATTR_TCGEN05_1CTA_USED, INFO_FORMAT_NONE},
    [INHERITED_TCGEN05_2CTA] = {EIATTR_TCGEN05_2CTA_USED, INFO_FORMAT_NONE},
    [INHERITED_REG_RECONFIG] = {EIATTR_REG_RECONFIG, INFO_FORMAT_NONE},
    [INHERITED_CACHING] = {EIATTR_EXPLICIT_CACHING, INFO_FORMAT_NONE},
};

/* A function's own EXPLICIT_CACHING is not handed on, only what LOAD_CACHE_REQUEST makes. */
enum inherited_kind inherited_kind(uint8_t code)
{
    for (int kind = 0; kind < INHERITED_CACHING; kind++)
        if (KINDS[kind].code == code)
            return (enum inherited_kind)kind;
    return INHERITED_COUNT;
}

/* A kernel's list of externs while it is being made. */
struct extern_list {
    GROWING_ARRAY(struct symbol *, symbols);
    bool grown; /* some function added an entry */
};

/* Which kernels have a symbol in their lists, by kernel number. */
struct holders {
    uint64_t *kernels;
};

struct inheritance {
    link_context *link;
    struct inherited_needs everything; /* of all functions that stay */
    struct extern_list *externs;       /* by function index, of kernels */
    uint32_t *mbarriers;
    struct function **givers; /* functions with something to hand on, in reading order */
    size_t givers_count;
    struct kernel_sets sets;                /* the kernels that reach a giver */
    GROWING_ARRAY(struct holders, holders); /* by symbol's extern_number - 1 */
    bool single;                            /* the link has one kernel */
};

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

struct inherited_needs inherited_of(const struct function *function)
{
    struct inherited_needs needs;
    for (int kind = 0; kind < INHERITED_COUNT; kind++) {
        needs.sequence[kind] = function->inherited[kind].sequence;
        needs.largest[kind] = function->inherited[kind].value;
    }
    return needs;
}

void inherited_include(struct inherited_needs *sum, const struct inherited_needs *part)
{
    for (int kind = 0; kind < INHERITED_COUNT; kind++) {
        sum->sequence[kind] = earlier(sum->sequence[kind], part->sequence[kind]);
        if (part->largest[kind] > sum->largest[kind])
            sum->largest[kind] = part->largest[kind];
    }
}

/* --------------------------------------------------------------------------------------------- */
/* What depends on the set of functions                                                          */

/* What an attribute can name; a list that is longer by one ends the link. */
enum { MOST_EXTERNS = UINT16_MAX / 4 };

static uint64_t *holders_of(struct inheritance *inheritance, struct symbol *symbol)
{
    link_context *link = inheritance->link;
    if (!symbol->extern_number) {
        struct holders *made = ARENA_APPEND(ARENA, inheritance, holders);
        made->kernels = ARENA_ARRAY(ARENA, uint64_t, inheritance->sets.words);
        symbol->extern_number = (uint32_t)inheritance->holders_count;
    }
    return inheritance->holders[symbol->extern_number - 1].kernels;
}

static struct extern_list *list_of(const struct inheritance *inheritance, uint32_t id)
{
    return &inheritance->externs[inheritance->sets.kernels[id]->index];
}

static void append(struct inheritance *inheritance, uint32_t id, struct symbol *symbol)
{
    link_context *link = inheritance->link;
    struct extern_list *list = list_of(inheritance, id);
    if (list->symbols_count <= MOST_EXTERNS)
        *ARENA_APPEND(ARENA, list, symbols) = symbol;
}

/* The kernels of the set that do not have the symbol yet get it. The cost is that of the set and of
 * the result, however often the symbol is listed. */
static void add_extern(struct inheritance *inheritance, const uint64_t *set, struct symbol *symbol)
{
    uint64_t *holders = holders_of(inheritance, symbol);
    for (uint32_t word = 0; word < inheritance->sets.words; word++) {
        uint64_t fresh = set[word] & ~holders[word];
        holders[word] |= fresh;
        for (; fresh; fresh &= fresh - 1) {
            uint32_t id = 64 * word + (uint32_t)__builtin_ctzll(fresh);
            append(inheritance, id, symbol);
            list_of(inheritance, id)->grown = true;
        }
    }
}

static void add_own_extern(struct inheritance *inheritance, uint32_t id, struct symbol *symbol)
{
    uint64_t *word = &holders_of(inheritance, symbol)[id / 64], bit = UINT64_C(1) << id % 64;
    if (!(*word & bit))
        append(inheritance, id, symbol);
    *word |= bit;
}

static void start_with_own(struct inheritance *inheritance)
{
    const struct kernel_sets *sets = &inheritance->sets;
    for (uint32_t id = 0; id < sets->kernel_count; id++)
        for (size_t i = 0; i < sets->kernels[id]->externs_count; i++)
            add_own_extern(inheritance, id, sets->kernels[id]->externs[i]);
}

static void add_mbarriers(struct inheritance *inheritance, const uint64_t *set,
                          const struct function *from)
{
    const struct kernel_sets *sets = &inheritance->sets;
    uint32_t value = from->inherited[INHERITED_MBARRIERS].value;
    for (uint32_t word = 0; value && word < sets->words; word++)
        for (uint64_t rest = set[word]; rest; rest &= rest - 1) {
            uint32_t id = 64 * word + (uint32_t)__builtin_ctzll(rest);
            if (sets->kernels[id] != from)
                inheritance->mbarriers[sets->kernels[id]->index] += value;
        }
}

static int by_externs_sequence(const void *a, const void *b)
{
    const struct function *first = *(struct function *const *)a;
    const struct function *second = *(struct function *const *)b;
    uint32_t x = first->inherited[INHERITED_EXTERNS].sequence;
    uint32_t y = second->inherited[INHERITED_EXTERNS].sequence;
    return x < y ? -1 : x > y;
}

/* Functions that have something to hand on, in the order in which their externs were read. */
static struct function **givers(link_context *link, size_t *count)
{
    struct function **functions = ARENA_ARRAY(ARENA, struct function *, link->functions_count);
    *count = 0;
    for (size_t i = 0; i < link->functions_count; i++) {
        struct function *function = link->functions[i];
        if (function->kept &&
            (function->externs_count || function->inherited[INHERITED_MBARRIERS].value))
            functions[(*count)++] = function;
    }
    qsort(functions, *count, sizeof *functions, by_externs_sequence);
    return functions;
}

static void find_sets(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    bool *interesting = ARENA_ARRAY(ARENA, bool, link->functions_count);
    for (size_t i = 0; i < inheritance->givers_count; i++)
        interesting[inheritance->givers[i]->index] = true;
    callgraph_kernel_sets(link, interesting, &inheritance->sets);
}

/* The only kernel is taken to reach everything. */
static void make_single_set(struct inheritance *inheritance)
{
    link_context *link = inheritance->link;
    struct kernel_sets *sets = &inheritance->sets;
    sets->kernels = ARENA_ARRAY(ARENA, struct function *, 1);
    sets->kernel_count = sets->words = 1;
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kernel)
            sets->kernels[0] = link->functions[i];
}

static const uint64_t *takers_of(const struct inheritance *inheritance,
                                 const struct function *giver)
{
    static const uint64_t THE_ONLY_ONE = 1;
    return inheritance->single ? &THE_ONLY_ONE : inheritance->sets.set[giver->index];
}

static void hand_on_mbarriers(struct inheritance *inheritance)
{
    for (size_t i = 0; i < inheritance->givers_count; i++) {
        const struct function *giver = inheritance->givers[i];
        const uint64_t *set = takers_of(inheritance, giver);
        if (set)
            add_mbarriers(inheritance, set, giver);
    }
}

static void hand_on_externs(struct inheritance *inheritance)
{
    for (size_t i = 0; i < inheritance->givers_count; i++) {
        const struct function *giver = inheritance->givers[i];
        const uint64_t *set = takers_of(inheritance, giver);
        for (size_t e = 0; set && e < giver->externs_count; e++)
            add_extern(inheritance, set, giver->externs[e]);
    }
}

struct inheritance *inheritance_prepare(link_context *link)
{
    struct inheritance *inheritance = ARENA_NEW(ARENA, struct inheritance);
    inheritance->link = link;
    inheritance->single = link->live_entry_count == 1;
    inheritance->externs = ARENA_ARRAY(ARENA, struct extern_list, link->functions_count);
    inheritance->mbarriers = ARENA_ARRAY(ARENA, uint32_t, link->functions_count);
    for (size_t i = 0; i < link->functions_count; i++) {
        const struct function *function = link->functions[i];
        if (!function->kept)
            continue;
        struct inherited_needs own = inherited_of(function);
        inherited_include(&inheritance->everything, &own);
        inheritance->mbarriers[i] = function->inherited[INHERITED_MBARRIERS].value;
    }
    inheritance->givers = givers(link, &inheritance->givers_count);
    if (inheritance->single)
        make_single_set(inheritance);
    else
        find_sets(inheritance);
    start_with_own(inheritance);
    hand_on_mbarriers(inheritance);
    hand_on_externs(inheritance);
    return inheritance;
}

/* --------------------------------------------------------------------------------------------- */
/* Records                                                                                       */

static struct output_record *own_record(const struct function *kernel, enum inherited_kind kind)
{
    uint32_t record = kernel->inherited[kind].record;
    return record ? &kernel->info->records[record - 1] : NULL;
}

/* The list of the only kernel: what was read last stands first (observed in 120 links with up to
 * four functions of the driver in up to five functions, weak and not). */
static void put_last_read_first(struct inheritance *inheritance, struct extern_list *list)
{
    list->symbols_count = 0;
    for (size_t i = 0; i < inheritance->holders_count; i++)
        inheritance->holders[i].kernels[0] = 0;
    hand_on_externs(inheritance);
    for (size_t i = 0; i < list->symbols_count / 2; i++) {
        struct symbol *other = list->symbols[i];
        list->symbols[i] = list->symbols[list->symbols_count - 1 - i];
        list->symbols[list->symbols_count - 1 - i] = other;
    }
}

/* In place when the kernel has a record, else behind. In a link with one kernel a list that grew
 * goes behind too, in an order of its own. */
static void set_externs(struct inheritance *inheritance, struct function *kernel)
{
    link_context *link = inheritance->link;
    struct extern_list *list = &inheritance->externs[kernel->index];
    struct output_record *own = own_record(kernel, INHERITED_EXTERNS);
    bool behind = !own || (inheritance->single && list->grown);
    if (own && (behind || !list->symbols_count))
        own->code = EIATTR_ERROR;
    if (!list->symbols_count)
        return;
    if (list->symbols_count > MOST_EXTERNS) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_EXTERNS_LIMIT,
                          kernel->symbol->object->name, kernel->symbol->name->name.text,
                          kernel->symbol->name->name.text, (unsigned)MOST_EXTERNS);
        return;
    }
    if (behind && inheritance->single)
        put_last_read_first(inheritance, list);
    struct output_record record = {.symbols = list->symbols,
                                   .symbol_count = (uint32_t)list->symbols_count,
                                   .value = (uint16_t)(4 * list->symbols_count),
                                   .format = INFO_FORMAT_SIZED,
                                   .code = EIATTR_EXTERNS};
    if (behind)
        *ARENA_APPEND(ARENA, kernel->info, appended_records) = record;
    else
        *own = record;
}

static uint32_t inherited_value(const struct inheritance *inheritance,
                                const struct function *kernel, enum inherited_kind kind,
                                const struct inherited_needs *needs)
{
    if (KINDS[kind].format == INFO_FORMAT_NONE)
        return 0;
    return kind == INHERITED_MBARRIERS ? inheritance->mbarriers[kernel->index]
                                       : needs->largest[kind];
}

/* Upper bits of a byte record's 16 bits are padding and stay as they are. */
static void set_value(struct inheritance *inheritance, struct function *kernel,
                      enum inherited_kind kind, const struct inherited_needs *needs)
{
    link_context *link = inheritance->link;
    struct output_record *own = own_record(kernel, kind);
    uint32_t value = inherited_value(inheritance, kernel, kind, needs);
    if (kind == INHERITED_BARRIERS)
        kernel->needed_barriers = value;
    if (own && inheritance->single && kind == INHERITED_CTA_INIT_COUNT)
        return; /* only a kernel without a record gets one (observed) */
    if (own && KINDS[kind].format == INFO_FORMAT_BYTE)
        own->value = (uint16_t)((own->value & 0xff00) | value);
    else if (own && KINDS[kind].format == INFO_FORMAT_HALF)
        own->value = (uint16_t)value;
    else if (!own)
        *ARENA_APPEND(ARENA, kernel->info, appended_records) = (struct output_record){
            .value = (uint16_t)value, .format = KINDS[kind].format, .code = KINDS[kind].code};
}

/* The kind that is next in reading order; INHERITED_COUNT when none is left. */
static enum inherited_kind next_kind(const struct inherited_needs *needs, uint32_t after)
{
    enum inherited_kind next = INHERITED_COUNT;
    uint32_t first = UINT32_MAX;
    for (int kind = 0; kind < INHERITED_COUNT; kind++)
        if (needs->sequence[kind] > after && needs->sequence[kind] < first) {
            next = (enum inherited_kind)kind;
            first = needs->sequence[kind];
        }
    return next;
}

static void set_kind(struct inheritance *inheritance, struct function *kernel,
                     enum inherited_kind kind, const struct inherited_needs *needs)
{
    if (kind == INHERITED_EXTERNS)
        set_externs(inheritance, kernel);
    else
        set_value(inheritance, kernel, kind, needs);
}

/* In a link with one kernel the order of what goes behind is fixed. */
static const enum inherited_kind SINGLE_KERNEL_ORDER[INHERITED_COUNT] = {
    INHERITED_CTAIDZ,       INHERITED_RESERVED_SHARED, INHERITED_CTA_INIT_COUNT,
    INHERITED_TCGEN05_1CTA, INHERITED_TCGEN05_2CTA,    INHERITED_BARRIERS,
    INHERITED_REG_RECONFIG, INHERITED_MBARRIERS,       INHERITED_EXTERNS,
    INHERITED_CACHING,
};

void inherit(struct inheritance *inheritance, struct function *kernel,
             const struct inherited_needs *needs)
{
    if (inheritance->single) {
        for (int i = 0; i < INHERITED_COUNT; i++)
            if (inheritance->everything.sequence[SINGLE_KERNEL_ORDER[i]])
                set_kind(inheritance, kernel, SINGLE_KERNEL_ORDER[i], &inheritance->everything);
        return;
    }
    uint32_t after = 0;
    for (enum inherited_kind kind; (kind = next_kind(needs, after)) != INHERITED_COUNT;
         after = needs->sequence[kind])
        set_kind(inheritance, kernel, kind, needs);
}
