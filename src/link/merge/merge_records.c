/* Merges the attributes of the inputs, record by record.
 *
 * Part of pass_merge. Each record is copied, dropped or filtered, as the row of its attribute in
 * info_attribute.def says. Values from which later passes compute the resources of functions are
 * stored in the functions. The records of an output section form one list in reading order, which
 * the writer reverses (observed). */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/merge/merge.h"
#include "link/merge/merge_state.h"
#include "link/merge/records_views.h"
#include "link/model/inherited_kind.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/records.h"
#include "link/model/release.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

/* Returns the symbol with this index. Returns NULL if the symbol is not in the output, or if this
 * object's copy of it was discarded. */
static struct symbol *accepted_symbol(const struct input_object *object, uint32_t index)
{
    struct symbol *symbol = object->symbols[index];
    if (!symbol || symbol->dropped || symbol->name_only || object->copies[index] == COPY_DISCARDED)
        return NULL;
    return symbol->function && !symbol->function->kept ? NULL : symbol;
}

static struct symbol *used_symbol(const struct input_object *object, uint32_t index)
{
    return object->copies[index] == COPY_SUPERSEDED ? NULL : accepted_symbol(object, index);
}

/* Whether the output has what a record describes: a symbol, or the section of a section symbol.
 * Only PARAM_CBANK records describe sections. */
static bool is_present(const struct input_object *object, const struct info_record *record)
{
    uint32_t index = info_record_word(record, 0);
    const struct symbol *symbol = object->symbols[index];
    if (symbol)
        return !symbol->dropped && !symbol->name_only &&
               (!symbol->function || symbol->function->kept);
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    return record->code == EIATTR_PARAM_CBANK && input.type == STT_SECTION &&
           input.section < object->elf.section_count &&
           object->contributions[input.section].section;
}

static bool is_extern(const struct symbol *symbol)
{
    if (symbol->function && symbol->function->entry)
        return symbol->function->kept;
    if (symbol->function && !symbol->function->kept)
        return false;
    return !symbol->defined && !symbol->common && !symbol->dropped && !symbol->name_only;
}

/* Keeps in an EXTERNS list only the symbols that are still undefined, and kernels whose address is
 * taken (observed). Returns whether the output has the list. A kernel keeps even an empty list,
 * because later passes add the entries that the kernel inherits. */
static bool filter_externs(link_context *link, struct input_object *object,
                           struct function *function, const struct info_record *record,
                           struct output_record *output)
{
    struct symbol **symbols = ARENA_ARRAY(&link->arena, struct symbol *, record->value / 4u);
    uint32_t count = 0;
    for (unsigned i = 0; i < record->value / 4u; i++) {
        struct symbol *symbol = object->symbols[info_record_word(record, i)];
        if (symbol && is_extern(symbol))
            symbols[count++] = symbol;
    }
    if (function && count)
        *ARENA_APPEND(&link->arena, function_add_rare(link, function), externs) =
            (struct extern_record){symbols, count};
    output->symbols = symbols;
    output->payload_kind = PAYLOAD_SYMBOLS;
    output->value = (uint16_t)(4 * count);
    bool keeps_empty = !link->options.relocatable || !record->value;
    return (function && function->kernel && keeps_empty) || count;
}

static bool is_function_resource(const struct info_record *record)
{
    switch (record->code) {
    case EIATTR_REGCOUNT:
    case EIATTR_FRAME_SIZE:
    case EIATTR_MAX_STACK_SIZE:
    case EIATTR_SAM_REGION_STACK_SIZE:
        return record->format == INFO_FORMAT_SIZED;
    default:
        return false;
    }
}

/* Stores a resource of a function. nvlink uses such a record in any section, even in the attributes
 * of a removed function (observed). If a function has several records of one attribute, nvlink uses
 * the last one that it reads. For SAM_REGION_STACK_SIZE, it uses the one with the largest value. */
static void note_resource(link_context *link, const struct input_object *object,
                          const struct info_record *record, struct output_section *output,
                          uint32_t position)
{
    uint32_t index = info_record_word(record, 0);
    const struct symbol *symbol = record->code == EIATTR_SAM_REGION_STACK_SIZE
                                      ? accepted_symbol(object, index)
                                      : used_symbol(object, index);
    struct function *function = symbol ? symbol->function : NULL;
    if (!function || function->is_stub)
        return; /* slots of the unified function table have no resources (observed) */
    uint32_t value = info_record_word(record, 1);
    if (record->code == EIATTR_REGCOUNT && (function->alias_of || !symbol->defined))
        return; /* an alias has the registers of its function, an undefined symbol has none */
    if (record->code == EIATTR_REGCOUNT) {
        function->register_count = value;
        function->has_register_count = true;
        function->register_section = output;
        function->register_record = position;
    } else if (record->code == EIATTR_FRAME_SIZE) {
        function->frame_size = value;
    } else if (record->code == EIATTR_MAX_STACK_SIZE) {
        function->stack_limit = value;
    } else if (value > function_rare(function)->region_stack_size) {
        function_add_rare(link, function)->region_stack_size = value;
        link->merge->has_regions = true;
    }
}

/* Stores the value of an attribute that kernels inherit, even if the output does not have the
 * record. Also stores when the first such record of the function was read: a kernel has its
 * inherited attributes in the order of their first records. */
static void note_inherited(link_context *link, struct function *function,
                           const struct info_record *record, enum inherited_kind kind)
{
    struct inherited *own = function_add_inherited(link, function, kind);
    if (!own->sequence)
        own->sequence = link->merge->records_read;
    bool is_byte = record->format == INFO_FORMAT_BYTE || kind == INHERITED_REG_RECONFIG;
    uint32_t value = is_byte ? record->value & 0xff : record->value;
    own->last = value;
    if (value > own->largest)
        own->largest = value;
    link->merge->kernel_values_fall |= function->kernel && value < own->largest;
    struct inherited_value item = {function, value};
    if (kind == INHERITED_MBARRIERS)
        *ARENA_APPEND(&link->arena, link->merge, mbarriers) = item;
    else if (kind == INHERITED_REG_RECONFIG)
        *ARENA_APPEND(&link->arena, link->merge, reconfigurations) = item;
}

/* Stores the size of the call stack. Compilers write at most one such record for a function; a
 * second one is an error. */
static void note_call_stack(link_context *link, struct function *function,
                            const struct info_record *record, uint32_t position)
{
    if (record->value < 4 || record->format != INFO_FORMAT_SIZED)
        return;
    struct rare_function *rare = function_add_rare(link, function);
    if (rare->call_stack_record)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_CALL_STACK_CONFLICT,
                          function->symbol->object->name, symbol_name(function->symbol));
    rare->call_stack_record = position;
    rare->call_stack_size = info_record_word(record, 0);
    if (record->code != EIATTR_SYNC_STACK)
        return;
    rare->call_stack_upper = rare->call_stack_size & ~(uint32_t)SYNC_STACK_SIZE;
    rare->call_stack_size &= SYNC_STACK_SIZE;
}

/* Drops the earlier of two lists of a kernel if it is empty. Only the last list receives inherited
 * entries, so the earlier one would remain empty. */
static void drop_empty_list(struct output_record *earlier)
{
    if (earlier && earlier->value < 4)
        earlier->code = EIATTR_ERROR;
}

/* Stores the output position of a kept record, because later passes change the record or read it
 * again. */
static void note_kept_record(link_context *link, struct function *function,
                             const struct info_record *record, enum inherited_kind kind,
                             uint32_t position)
{
    if (function->is_stub && function->text->owner != function)
        return; /* all stubs share one section. nvlink finds only the records of the first stub in
                   it (observed) */
    if (inherited_kind_is_list(kind))
        drop_empty_list(record_at(function->info, function_inherited(function, kind)->record));
    if (kind != INHERITED_COUNT)
        function_add_inherited(link, function, kind)->record = position;
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (attribute && attribute->propagation == INFO_PROPAGATION_CALL_STACK)
        note_call_stack(link, function, record, position);
    if (record->code == EIATTR_MAXREG_COUNT)
        function->register_limit = (uint8_t)record->value;
    if (record->code == EIATTR_SPARSE_MMA_MASK) {
        function->sparse_mask =
            (uint16_t)(record->value | (function->kernel ? 0 : function->sparse_mask));
        function->sparse_record = position;
    }
}

static void note_cache_request(link_context *link, const struct input_object *object,
                               const struct info_record *record)
{
    if (record->code != EIATTR_LOAD_CACHE_REQUEST || record->format != INFO_FORMAT_SIZED)
        return;
    const struct symbol *symbol = object->symbols[info_record_word(record, 0)];
    if (symbol)
        *ARENA_APPEND(&link->arena, link->merge, cache_requests) =
            (struct cache_request){symbol, info_record_word(record, 1) != 0};
}

/* Stores the words of an AT_ENTRY_FRAGMENTS record in the function, for the kernels that reach the
 * function and inherit the words. Returns whether the record itself is kept. */
static bool note_fragments(link_context *link, struct function *function,
                           const struct info_record *record)
{
    if (function && record->format == INFO_FORMAT_SIZED)
        *ARENA_APPEND(&link->arena, function_add_rare(link, function), fragments) =
            info_record_payload(record);
    return !function || function->kernel;
}

/* Whether a relocatable output keeps a record of an attribute that only a final link uses. It keeps
 * no records about discarded copies, or about symbols that are not in the output. It also keeps no
 * records about resources of superseded copies. */
static bool is_kept_for_relinking(const struct input_object *object,
                                  const struct info_record *record)
{
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (is_function_resource(record))
        return used_symbol(object, info_record_word(record, 0));
    if (attribute->symbols == INFO_SYMBOLS_FIRST && record->format == INFO_FORMAT_SIZED)
        return accepted_symbol(object, info_record_word(record, 0));
    return record->code != EIATTR_ERROR;
}

/* Whether a record of a resource is about a stub. The output has no such records (observed). */
static bool is_about_stub(const struct input_object *object, const struct info_record *record)
{
    const struct symbol *symbol = used_symbol(object, info_record_word(record, 0));
    return symbol && symbol->function && symbol->function->is_stub;
}

static bool is_kept_with_symbol(link_context *link, const struct input_object *object,
                                const struct info_record *record)
{
    uint32_t symbol = info_record_word(record, 0);
    bool is_kept = used_symbol(object, symbol);
    bool is_unused_copy =
        object->copies[symbol] == COPY_DISCARDED || object->copies[symbol] == COPY_SUPERSEDED;
    if (is_unused_copy && record->code == EIATTR_FRAME_SIZE)
        TRACE(&link->trace, TRACE_WEAK_FRAME_SIZE);
    return is_kept;
}

/* Whether the record marks the stack size of a function as unknown. Such a record is dropped.
 * Compilers of whole programs mark kernels that recurse in this way; for other functions the mark
 * has no meaning. Records with other values are kept (observed with patched objects). */
static bool takes_unknown_stack(const struct input_object *object, const struct info_record *record)
{
    if (record->code != EIATTR_MIN_STACK_SIZE || record->format != INFO_FORMAT_SIZED ||
        record->value < 8 || info_record_word(record, 1) != UINT32_MAX)
        return false;
    const struct symbol *symbol = used_symbol(object, info_record_word(record, 0));
    if (symbol && symbol->function && symbol->function->kernel)
        symbol->function->recurses = true;
    return true;
}

static bool is_used_by_final_link(enum info_merge merge)
{
    return merge == INFO_MERGE_DROP || merge == INFO_MERGE_CACHING ||
           merge == INFO_MERGE_ENTRY_ONLY;
}

/* Returns whether the output has the record. `output` is the copy of the record for the output; the
 * entries of an EXTERNS list are removed from this copy if the output does not need them. */
static bool is_kept_record(link_context *link, struct input_object *object,
                           struct function *function, const struct info_record *record,
                           struct output_record *output)
{
    const struct info_attribute *attribute = link_attribute(link, record->code);
    if (!attribute)
        return true;
    if (record->code == EIATTR_SUQ_USED && link->resolve->has_surfaces)
        return false; /* dropped even if only later inputs have surfaces; with -r, too (observed) */
    enum info_merge merge = (enum info_merge)attribute->merge;
    if (link->options.relocatable && is_used_by_final_link(merge))
        return is_kept_for_relinking(object, record);
    if (!link->options.relocatable && is_function_resource(record) && is_about_stub(object, record))
        return false;
    if (!link->options.relocatable && takes_unknown_stack(object, record))
        return false;
    switch (merge) {
    case INFO_MERGE_DROP:
        return false;
    case INFO_MERGE_WITH_SYMBOL:
        return record->format != INFO_FORMAT_SIZED || is_kept_with_symbol(link, object, record);
    case INFO_MERGE_ACCEPTED:
        return record->format != INFO_FORMAT_SIZED ||
               accepted_symbol(object, info_record_word(record, 0));
    case INFO_MERGE_PRESENT:
        return record->format != INFO_FORMAT_SIZED || is_present(object, record);
    case INFO_MERGE_CACHING:
        return false;
    case INFO_MERGE_ENTRY_ONLY:
        return note_fragments(link, function, record);
    case INFO_MERGE_FILTER:
        return filter_externs(link, object, function, record, output);
    default:
        return true;
    }
}

/* Whether copying the record is all that is needed, as for most records. False for the codes that
 * merge_record and note_kept_record look for. */
static bool is_just_copied(const link_context *link, const struct info_record *record)
{
    const struct info_attribute *attribute = link_attribute(link, record->code);
    if (!attribute)
        return true;
    return attribute->merge == INFO_MERGE_COPY &&
           attribute->propagation == INFO_PROPAGATION_NOTHING &&
           record->code != EIATTR_MAXREG_COUNT && record->code != EIATTR_KPARAM_INFO_V2 &&
           record->code != EIATTR_SUQ_USED;
}

/* Adds a record to the native tail, the records that only the native view has (records_views.h).
 * All stubs share one section. Its tail has only the records of the first stub. */
static void add_tail_record(link_context *link, struct output_section *output,
                            struct function *function, const struct output_record *record)
{
    bool is_flag = record->code == EIATTR_PREEXIT_USED && record->format == INFO_FORMAT_BYTE;
    if (is_flag && record->value && function)
        function_add_rare(link, function)->exits_early = true;
    if (!function || !function->is_stub || !output_rare(output)->tail_records_count)
        *ARENA_APPEND(&link->arena, output_add_rare(link, output), tail_records) = *record;
}

/* Handles a record of format 4 without payload. Such a record is dropped, whatever its code
 * (observed), unless it is an empty list of a kernel. Returns true if it is dropped.
 *
 * A kernel's empty list receives the entries that the kernel inherits, unless another list of its
 * kind follows (observed in 300 links with up to three lists of a kernel). An empty list of a
 * device function still counts as the first record of its kind, which decides the order of
 * inherited records. */
static bool drop_empty_record(link_context *link, struct function *function,
                              const struct info_record *record)
{
    enum inherited_kind kind = function ? inherited_kind(link, record->code) : INHERITED_COUNT;
    bool is_list = inherited_kind_is_list(kind);
    if (is_list && !function->kernel)
        note_inherited(link, function, record, kind);
    return !is_list || !function->kernel;
}

/* Merges one record of an attribute section. Decides whether the output has the record: in the
 * section's list, in its native tail, or not at all. Also stores the values that kernels inherit,
 * or from which resources are computed, even if the record is dropped. Two kinds of records have no
 * effect at all: native records without a partner in the Mercury view whose code the release does
 * not know (RECORD_LEFT_OUT), and most records without payload (drop_empty_record). */
static void merge_record(link_context *link, struct input_object *object,
                         struct record_views *views, struct function *function,
                         const struct info_record *record)
{
    struct output_section *output = views->output;
    if (record->format == INFO_FORMAT_SIZED && !record->value &&
        drop_empty_record(link, function, record))
        return;
    struct output_record copy = {.payload = record->payload,
                                 .object = object->position,
                                 .value = record->value,
                                 .format = record->format,
                                 .code = record->code};
    enum record_pairing pairing =
        views->paired ? record_views_pair(views, record, &copy) : RECORD_IN_BOTH;
    bool is_tail = pairing == RECORD_IN_TAIL;
    if (pairing == RECORD_LEFT_OUT)
        return;
    if (output && !is_tail && is_just_copied(link, record)) {
        *ARENA_APPEND(&link->arena, output, records) = copy;
        return;
    }
    enum inherited_kind kind = function ? inherited_kind(link, record->code) : INHERITED_COUNT;
    if (kind != INHERITED_COUNT)
        note_inherited(link, function, record, kind);
    uint32_t position = 0;
    if (output && is_tail) {
        add_tail_record(link, output, function, &copy);
    } else if (output && is_kept_record(link, object, function, record, &copy)) {
        *ARENA_APPEND(&link->arena, output, records) = copy;
        position = (uint32_t)output->records_count;
    }
    if (is_function_resource(record)) /* the first word of other records need not be a symbol */
        note_resource(link, object, record, output, position);
    note_cache_request(link, object, record);
    if (record->code == EIATTR_KPARAM_INFO_V2)
        link->merge->large_parameters++;
    if (function && position)
        note_kept_record(link, function, record, kind, position);
}

/* Reserves capacity for the records of `size` bytes of attributes. */
static void reserve_records(link_context *link, struct output_section *output, uint64_t size)
{
    enum { USUAL_SIZE = 8, MOST = 1 << 10 };
    uint64_t count = size / USUAL_SIZE + 1;
    output->records_capacity = count < MOST ? (uint32_t)count : MOST;
    output->records = arena_take(&link->arena, &link->merge->record_row, output->records_capacity,
                                 sizeof *output->records);
}

void merge_records(link_context *link, struct input_object *object, const struct elf_section *input,
                   struct output_section *output, struct function *function)
{
    struct bytes rest = {input->data, input->size};
    struct record_views views = record_views_start(link, object, input, output);
    struct info_record record;
    if (output && !output->records_capacity)
        reserve_records(link, output, input->size);
    while (info_record_next(&rest, &record)) {
        link->merge->records_read++;
        merge_record(link, object, &views, function, &record);
    }
    record_views_finish(&views);
}
