/* Completes the attribute records that kernels inherit; see inherit.h.
 *
 * Part of pass_properties. If a kernel has a record of an inherited attribute, the value of this
 * record is raised. Otherwise a record is appended after the kernel's other records. If several
 * records are appended, the attribute whose first record was read first comes first. Only records
 * of functions that the kernel reaches count for this order. In a link with exactly one kernel,
 * this kernel inherits from every kept function, even if it does not reach the function. These
 * rules were observed with nvlink 13.0.88, and are exact in several thousand random links. */
#include "link/resources/inherit.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/info_record.h"
#include "link/model/inherited_kind.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/symbols.h"
#include "link/resources/caching.h"
#include "link/resources/fragments.h"
#include "link/resources/inherit_lists.h"

/* --------------------------------------------------------------------------------------------- */
/* Records                                                                                       */

/* Gives the kernel a record with its list of externs: changes the kernel's own record, or appends
 * one if there is none.
 *
 * In a link with one kernel, nvlink does not change the own record if it has as many entries as the
 * list, even if the entries differ (observed: the record can name one function twice and lack
 * another). If the number of entries differs, the own record is removed, and a record with the list
 * in the order of rebuild_extern_list is appended. */
static void set_externs(struct inheritance *inheritance, struct function *kernel)
{
    link_context *link = inheritance->link;
    struct extern_list *list = &inheritance->externs[kernel->index];
    struct output_record *own = inherited_record(kernel, INHERITED_EXTERNS);
    bool append = !own || (inheritance->single && list->symbols_count != own->value / 4u);
    if (own && (append || !list->symbols_count))
        own->code = EIATTR_ERROR;
    if (!list->symbols_count)
        return;
    if (list->symbols_count > MOST_EXTERNS) {
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_EXTERNS_LIMIT,
                          kernel->symbol->object->name, symbol_name(kernel->symbol),
                          symbol_name(kernel->symbol), (unsigned)MOST_EXTERNS);
        return;
    }
    if (append && inheritance->single)
        rebuild_extern_list(inheritance, list);
    struct output_record record = {.symbols = list->symbols,
                                   .payload_kind = PAYLOAD_SYMBOLS,
                                   .value = (uint16_t)(4 * list->symbols_count),
                                   .format = INFO_FORMAT_SIZED,
                                   .code = EIATTR_EXTERNS};
    if (append)
        record_append(link, kernel->info, record);
    else if (!inheritance->single)
        *own = record;
}

/* Gives the kernel a record with its list of fragments: changes the kernel's own record, or appends
 * one if there is none. If the list is empty, removes the own record.
 *
 * In a link with one kernel, nvlink does not change the own record if it has the size of the list.
 * If the sizes differ, the own record is removed, and a record with the list is appended. */
static void set_fragments(struct inheritance *inheritance, struct function *kernel)
{
    link_context *link = inheritance->link;
    struct output_record *own = inherited_record(kernel, INHERITED_FRAGMENTS);
    struct output_record record = fragments_record(inheritance->fragments, kernel);
    bool append = !own || (inheritance->single && record.value != own->value);
    if (own && (!record.payload || (inheritance->single && append)))
        own->code = EIATTR_ERROR;
    if (!record.payload)
        return;
    if (!append && !inheritance->single)
        *own = record;
    else if (append)
        record_append(link, kernel->info, record);
}

/* Returns the value of an attribute that a kernel inherits. For REG_RECONFIG, compilers write only
 * the value 0, so other values occur only in patched objects. */
static uint32_t inherited_value(const struct inheritance *inheritance,
                                const struct function *kernel, enum inherited_kind kind,
                                const struct inherited_needs *needs)
{
    if (kind == INHERITED_REG_RECONFIG)
        return inheritance->reconfigurations ? inheritance->reconfigurations[kernel->index] : 0;
    if (inherited_attribute(kind).format == INFO_FORMAT_NONE)
        return 0;
    return kind == INHERITED_MBARRIERS ? inheritance->mbarriers[kernel->index]
                                       : needs->largest[kind];
}

static void note_barriers(struct inheritance *inheritance, struct function *kernel,
                          const struct output_record *own, uint32_t value)
{
    link_context *link = inheritance->link;
    kernel->needed_barriers = (uint16_t)value;
    if (value > (own ? own->value & 0xffu : 0))
        TRACE(&link->trace, TRACE_BARRIERS_RAISED, value, section_name(link, kernel->info),
              symbol_name(kernel->symbol));
}

/* Changes the value of the kernel's own record. The value field has 16 bits. For a record of format
 * BYTE, only the lower 8 bits change, because the upper 8 bits are padding. A REG_RECONFIG record
 * is treated in the same way, but the value 0 changes nothing. */
static void change_own(struct output_record *own, enum inherited_kind kind, uint32_t value)
{
    if (inherited_attribute(kind).format == INFO_FORMAT_BYTE ||
        (kind == INHERITED_REG_RECONFIG && value))
        own->value = (uint16_t)((own->value & 0xff00) | value);
    else if (inherited_attribute(kind).format == INFO_FORMAT_HALF)
        own->value = (uint16_t)value;
}

/* Sets one inherited attribute: changes the kernel's own record, or appends one. */
static void set_value(struct inheritance *inheritance, struct function *kernel,
                      enum inherited_kind kind, const struct inherited_needs *needs)
{
    link_context *link = inheritance->link;
    struct output_record *own = inherited_record(kernel, kind);
    uint32_t value = inherited_value(inheritance, kernel, kind, needs);
    if (kind == INHERITED_BARRIERS)
        note_barriers(inheritance, kernel, own, value);
    if (own && inheritance->single && kind == INHERITED_CTA_INIT_COUNT)
        return; /* in a link with one kernel, the kernel inherits this attribute only if it has no
                   own record (observed) */
    bool counts = kind == INHERITED_BARRIERS || kind == INHERITED_MBARRIERS;
    if (inheritance->single && !value && counts)
        return;
    if (!own && kind == INHERITED_RESERVED_SHARED)
        function_add_rare(link, kernel)->reserved_shared_read = needs->sequence[kind];
    if (own)
        change_own(own, kind, value);
    else
        record_append(link, kernel->info,
                      (struct output_record){.value = (uint16_t)value,
                                             .format = inherited_attribute(kind).format,
                                             .code = inherited_attribute(kind).code});
}

/* Returns the next kind of attribute, in the reading order of the kinds' first records: the first
 * kind whose first record has a number above `after`. Returns INHERITED_COUNT if there is none. */
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
    else if (kind == INHERITED_FRAGMENTS)
        set_fragments(inheritance, kernel);
    else
        set_value(inheritance, kernel, kind, needs);
}

/* Stores a conflict if a kernel uses both kinds of CTA groups, which is an error. nvlink does not
 * report this error in three cases (observed):
 *
 * - The kernel's own code uses both kinds.
 * - The link has one kernel, and the kernel's own code uses neither kind.
 * - Errors about stack or registers have been reported. */
static void check_cta_groups(struct inheritance *inheritance, const struct function *kernel,
                             const struct inherited_needs *needs)
{
    link_context *link = inheritance->link;
    uint32_t one = needs->sequence[INHERITED_TCGEN05_1CTA];
    uint32_t two = needs->sequence[INHERITED_TCGEN05_2CTA];
    if (!one || !two || inheritance->failed)
        return;
    bool own_one = function_inherited(kernel, INHERITED_TCGEN05_1CTA)->sequence;
    bool own_two = function_inherited(kernel, INHERITED_TCGEN05_2CTA)->sequence;
    bool checked = inheritance->single ? own_one != own_two : !own_one || !own_two;
    if (!checked)
        return;
    uint32_t sequence = own_one ? two : own_two ? one : one > two ? one : two;
    *ARENA_APPEND(&link->arena, inheritance, conflicts) = (struct group_conflict){kernel, sequence};
}

static int functions_by_sequence(const void *a, const void *b)
{
    const struct group_conflict *first = a, *second = b;
    if (first->sequence != second->sequence)
        return first->sequence < second->sequence ? -1 : 1;
    return first->kernel->index > second->kernel->index ? -1 : 1;
}

/* Reports the conflicts that check_cta_groups stored. Their order is the reading order of the
 * records that cause them. */
void inheritance_finish(struct inheritance *inheritance)
{
    if (inheritance->conflicts_count)
        qsort(inheritance->conflicts, inheritance->conflicts_count, sizeof *inheritance->conflicts,
              functions_by_sequence);
    for (size_t i = 0; i < inheritance->conflicts_count; i++) {
        const struct symbol *kernel = inheritance->conflicts[i].kernel->symbol;
        diagnostic_report(&inheritance->link->diagnostics, DIAGNOSTIC_CTA_GROUPS,
                          kernel->object->name, symbol_name(kernel), symbol_name(kernel));
    }
}

/* The order in which records are appended in a link with one kernel. */
static const enum inherited_kind SINGLE_KERNEL_ORDER[INHERITED_COUNT] = {
    INHERITED_CTAIDZ,       INHERITED_RESERVED_SHARED, INHERITED_CTA_INIT_COUNT,
    INHERITED_TCGEN05_1CTA, INHERITED_TCGEN05_2CTA,    INHERITED_BARRIERS,
    INHERITED_REG_RECONFIG, INHERITED_MBARRIERS,       INHERITED_EXTERNS,
    INHERITED_FRAGMENTS,    INHERITED_CLUSTER_LAUNCH,
};

static void set_in_fixed_order(struct inheritance *inheritance, struct function *kernel)
{
    for (int i = 0; i < INHERITED_COUNT; i++)
        if (inheritance->everything.sequence[SINGLE_KERNEL_ORDER[i]])
            set_kind(inheritance, kernel, SINGLE_KERNEL_ORDER[i], &inheritance->everything);
}

static void set_in_reading_order(struct inheritance *inheritance, struct function *kernel,
                                 const struct inherited_needs *needs)
{
    uint32_t after = 0;
    for (enum inherited_kind kind; (kind = next_kind(needs, after)) != INHERITED_COUNT;
         after = needs->sequence[kind])
        set_kind(inheritance, kernel, kind, needs);
}

/* An attribute that a stub inherits. */
struct stub_attribute {
    const struct stub_needs *stub;
    enum inherited_kind kind;
    uint32_t sequence; /* number of the first record of the attribute, in reading order */
};

static int by_reading(const void *a, const void *b)
{
    const struct stub_attribute *first = a, *second = b;
    if (first->sequence != second->sequence)
        return first->sequence < second->sequence ? -1 : 1;
    return first->stub < second->stub ? -1 : first->stub > second->stub;
}

/* Skips the lists of externs and of fragments, because stubs inherit no lists (observed in 27 links
 * for sm_90 and sm_100). */
void inherit_by_stubs(struct inheritance *inheritance, const struct stub_needs *stubs, size_t count)
{
    struct {
        GROWING_ARRAY(struct stub_attribute, items);
    } found = {.items = NULL};
    for (size_t i = 0; i < count; i++)
        for (int kind = 0; kind < INHERITED_COUNT; kind++)
            if (stubs[i].needs->sequence[kind] &&
                !inherited_kind_is_list((enum inherited_kind)kind))
                *ARENA_APPEND(&inheritance->link->arena, &found, items) = (struct stub_attribute){
                    &stubs[i], (enum inherited_kind)kind, stubs[i].needs->sequence[kind]};
    if (found.items_count)
        qsort(found.items, found.items_count, sizeof *found.items, by_reading);
    for (size_t i = 0; i < found.items_count; i++)
        set_kind(inheritance, found.items[i].stub->stub, found.items[i].kind,
                 found.items[i].stub->needs);
}

static struct output_record *barrier_record(const struct function *kernel)
{
    struct output_section *info = kernel->info;
    for (size_t i = 0; i < output_rare(info)->appended_records_count; i++)
        if (output_rare(info)->appended_records[i].code == EIATTR_NUM_BARRIERS)
            return &output_rare(info)->appended_records[i];
    return inherited_record(kernel, INHERITED_BARRIERS);
}

/* Raises the number of barriers in the flags of the kernel's code section. Outputs of ABI 7 keep
 * this number, whether or not the kernel also has a barrier record (nvJitLink 12.9, patched
 * objects). */
static void raise_flags(link_context *link, struct function *kernel, uint32_t reached)
{
    if (reached > kernel->flag_barriers)
        TRACE(&link->trace, TRACE_BARRIER_FLAGS_RAISED, reached, section_name(link, kernel->text),
              symbol_name(kernel->symbol));
    else
        reached = kernel->flag_barriers;
    kernel->text->flags &= ~(uint64_t)SHF_BARRIERS;
    kernel->text->flags |= (uint64_t)reached << SHF_BARRIERS_SHIFT;
    if (kernel->needed_barriers < reached)
        kernel->needed_barriers = (uint16_t)reached;
}

/* Raises the kernel's number of barriers to `reached`, the largest number in the flags of the
 * functions that the kernel reaches. Even in a link with one kernel, functions that the kernel does
 * not reach are not included. If the kernel has no barrier record yet, one is appended; it includes
 * the number in the kernel's own flags, which is then cleared (observed). */
static void add_flag_barriers(struct inheritance *inheritance, struct function *kernel,
                              uint32_t reached)
{
    link_context *link = inheritance->link;
    if (link_writes_abi_12(link)) {
        raise_flags(link, kernel, reached);
        return;
    }
    struct output_record *record = barrier_record(kernel);
    uint32_t own = record ? 0 : kernel->flag_barriers;
    uint32_t count = own > reached ? own : reached;
    if (!count)
        return;
    if (!record) {
        record = record_append(
            link, kernel->info,
            (struct output_record){.format = INFO_FORMAT_BYTE, .code = EIATTR_NUM_BARRIERS});
        kernel->text->flags &= ~(uint64_t)SHF_BARRIERS;
    }
    if (count > (record->value & 0xff))
        record->value = (uint16_t)((record->value & 0xff00) | count);
    if (count > kernel->needed_barriers)
        kernel->needed_barriers = (uint16_t)count;
}

void inherit(struct inheritance *inheritance, struct function *kernel,
             const struct inherited_needs *needs, uint32_t flag_barriers)
{
    if (inheritance->single) {
        check_cta_groups(inheritance, kernel, &inheritance->everything);
        set_in_fixed_order(inheritance, kernel);
    } else if (needs) {
        check_cta_groups(inheritance, kernel, needs);
        set_in_reading_order(inheritance, kernel, needs);
    }
    add_flag_barriers(inheritance, kernel, flag_barriers);
    caching_complete(inheritance->caching, kernel);
}
