/* Attributes of the inputs, record by record.
 *
 * Part of merge. A record is copied, dropped or filtered as its row of info_attribute.def says;
 * what the resources of functions are computed from is noted beside. Records of all objects form
 * one list for each output section, which is written in reverse (observed), so nothing is sorted
 * here. */
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

/* NULL also where the object's copy was rejected when it was read. */
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

/* Whether what a record is about is in the output; only PARAM_CBANK is about a section. */
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

/* An EXTERNS list keeps what is still undefined, and kernels whose address is taken (observed); the
 * place of a kernel's list stays even when it is empty, because the kernel inherits others'
 * entries. */
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
    bool keeps_place = !link->options.relocatable || !record->value;
    return (function && function->kernel && keeps_place) || count;
}

static bool tells_of_a_function(const struct info_record *record)
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

/* A function's resources count in whatever section they stand, also in that of a function that goes
 * (observed); of several records the last one read, of stack regions the largest. */
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
        return; /* a slot of the unified function table counts for nothing (observed) */
    uint32_t value = info_record_word(record, 1);
    if (record->code == EIATTR_REGCOUNT && (function->alias_of || !symbol->defined))
        return; /* of a second name the function behind it does, of what is undefined none */
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
    }
}

/* An attribute counts from where it was first read, even when its record does not stay. */
static void note_inherited(link_context *link, struct function *function,
                           const struct info_record *record, enum inherited_kind kind)
{
    struct inherited *own = function_add_inherited(link, function, kind);
    if (!own->sequence)
        own->sequence = link->merge->records_read;
    bool is_byte = record->format == INFO_FORMAT_BYTE || kind == INHERITED_REG_RECONFIG;
    uint32_t value = is_byte ? record->value & 0xff : record->value;
    if (kind == INHERITED_REG_RECONFIG && !value)
        return;
    own->last = value;
    if (kind == INHERITED_REG_RECONFIG)
        own->total = link->merge->records_read;
    else if (kind == INHERITED_MBARRIERS)
        own->total = mbarriers_add(own->total, value);
    else if (value > own->total)
        own->total = value;
}

/* The compiler writes one record at most. */
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

/* Of several lists of a kernel only the last is one that grows. */
static void forget_empty_list(struct output_record *earlier)
{
    if (earlier && earlier->value < 4)
        earlier->code = EIATTR_ERROR;
}

static void note_place(link_context *link, struct function *function,
                       const struct info_record *record, enum inherited_kind kind,
                       uint32_t position)
{
    if (function->is_stub && function->text->owner != function)
        return; /* in the section of all stubs only those of the first are found again (observed) */
    if (kind == INHERITED_EXTERNS || kind == INHERITED_FRAGMENTS)
        forget_empty_list(record_at(function->info, function_inherited(function, kind)->record));
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

/* The words of a function's list of fragments, which go to the kernels. */
static bool note_fragments(link_context *link, struct function *function,
                           const struct info_record *record)
{
    if (function && record->format == INFO_FORMAT_SIZED)
        *ARENA_APPEND(&link->arena, function_add_rare(link, function), fragments) =
            info_record_payload(record);
    return !function || function->kernel;
}

/* A relocatable output keeps what a final link makes something of. */
static bool stays_for_relinking(const struct input_object *object, const struct info_record *record)
{
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (tells_of_a_function(record))
        return used_symbol(object, info_record_word(record, 0));
    if (attribute->symbols == INFO_SYMBOLS_FIRST && record->format == INFO_FORMAT_SIZED)
        return accepted_symbol(object, info_record_word(record, 0));
    return record->code != EIATTR_ERROR;
}

/* Of a slot of the unified function table the output tells nothing of the kind (observed). */
static bool is_about_stub(const struct input_object *object, const struct info_record *record)
{
    const struct symbol *symbol = used_symbol(object, info_record_word(record, 0));
    return symbol && symbol->function && symbol->function->is_stub;
}

static bool stays_with_symbol(link_context *link, const struct input_object *object,
                              const struct info_record *record)
{
    uint32_t symbol = info_record_word(record, 0);
    bool stays = used_symbol(object, symbol);
    bool is_lost =
        object->copies[symbol] == COPY_DISCARDED || object->copies[symbol] == COPY_SUPERSEDED;
    if (is_lost && record->code == EIATTR_FRAME_SIZE)
        TRACE(&link->trace, TRACE_WEAK_FRAME_SIZE);
    return stays;
}

/* Compilers of whole programs say of a kernel that recurses that its stack is unknown, of other
 * functions it means nothing. Records with other values stay (observed with patched objects). */
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

static bool acts_later(enum info_merge merge)
{
    return merge == INFO_MERGE_DROP || merge == INFO_MERGE_CACHING ||
           merge == INFO_MERGE_ENTRY_ONLY;
}

/* Whether an input's record has a place in the output. */
static bool stays(link_context *link, struct input_object *object, struct function *function,
                  const struct info_record *record, struct output_record *output)
{
    const struct info_attribute *attribute = link_attribute(link, record->code);
    if (!attribute)
        return true;
    if (record->code == EIATTR_SUQ_USED && link->resolve->has_surfaces)
        return false; /* observed in either order, with -r too */
    enum info_merge merge = (enum info_merge)attribute->merge;
    if (link->options.relocatable && acts_later(merge))
        return stays_for_relinking(object, record);
    if (!link->options.relocatable && tells_of_a_function(record) && is_about_stub(object, record))
        return false;
    if (!link->options.relocatable && takes_unknown_stack(object, record))
        return false;
    switch (merge) {
    case INFO_MERGE_DROP:
        return false;
    case INFO_MERGE_WITH_SYMBOL:
        return record->format != INFO_FORMAT_SIZED || stays_with_symbol(link, object, record);
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

/* As most: neither merge_record nor note_place looks for its code. */
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

/* The slots of the unified function table have the native tail of the first only. */
static void add_tail_record(link_context *link, struct output_section *output,
                            struct function *function, const struct output_record *record)
{
    bool is_flag = record->code == EIATTR_PREEXIT_USED && record->format == INFO_FORMAT_BYTE;
    if (is_flag && record->value && function)
        function_add_rare(link, function)->exits_early = true;
    if (!function || !function->is_stub || !output_rare(output)->tail_records_count)
        *ARENA_APPEND(&link->arena, output_add_rare(link, output), tail_records) = *record;
}

/* An empty list of a kernel takes what the kernel inherits, unless others of its kind follow
 * (observed in 300 links with up to three lists of a kernel). */
static bool is_list_to_fill(const link_context *link, const struct function *function,
                            const struct info_record *record)
{
    enum inherited_kind kind = inherited_kind(link, record->code);
    return (kind == INHERITED_EXTERNS || kind == INHERITED_FRAGMENTS) && function &&
           function->kernel;
}

static void merge_record(link_context *link, struct input_object *object,
                         struct record_views *views, struct function *function,
                         const struct info_record *record)
{
    struct output_section *output = views->output;
    if (record->format == INFO_FORMAT_SIZED && !record->value &&
        !is_list_to_fill(link, function, record))
        return; /* says nothing, whatever the code (observed) */
    struct output_record copy = {.payload = record->payload,
                                 .object = object->position,
                                 .value = record->value,
                                 .format = record->format,
                                 .code = record->code};
    enum record_place place =
        views->paired ? record_views_pair(views, record, &copy) : RECORD_OF_BOTH;
    bool is_tail = place == RECORD_OF_TAIL;
    if (place == RECORD_LEFT_OUT)
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
    } else if (output && stays(link, object, function, record, &copy)) {
        *ARENA_APPEND(&link->arena, output, records) = copy;
        position = (uint32_t)output->records_count;
    }
    if (tells_of_a_function(record)) /* the first word of others need not be a symbol */
        note_resource(link, object, record, output, position);
    note_cache_request(link, object, record);
    link->merge->large_parameters += record->code == EIATTR_KPARAM_INFO_V2;
    if (function && position)
        note_place(link, function, record, kind, position);
}

/* For attributes of so many bytes. */
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
