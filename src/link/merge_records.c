/* Attributes of the inputs, record by record.
 *
 * Part of merge. A record is copied, dropped or filtered as its row of info_attribute.def says;
 * what the resources of functions are computed from is noted beside. Records of all objects form
 * one list for each output section, which is written in reverse (observed), so nothing is sorted
 * here. */
#include "link/inherit.h"

static struct symbol *used_symbol(const struct input_object *object, uint32_t index)
{
    struct symbol *symbol = object->symbols[index];
    if (!symbol || symbol->dropped)
        return NULL;
    if (symbol->function && !symbol->function->kept)
        return NULL;
    return object->copies[index] == COPY_REJECTED || object->copies[index] == COPY_REPLACED
               ? NULL
               : symbol;
}

/* Whether what a record is about is in the output; only PARAM_CBANK is about a section. */
static bool is_present(const struct input_object *object, const struct info_record *record)
{
    uint32_t index = info_record_word(record, 0);
    const struct symbol *symbol = object->symbols[index];
    if (symbol)
        return !symbol->dropped && (!symbol->function || symbol->function->kept);
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    return record->code == EIATTR_PARAM_CBANK && input.type == STT_SECTION &&
           input.section < object->elf.section_count &&
           object->contributions[input.section].section;
}

static bool is_extern(const struct symbol *symbol)
{
    if (symbol->function && symbol->function->entry)
        return symbol->function->kept;
    return !symbol->defined && !symbol->common && !symbol->dropped && !symbol->name_only;
}

/* An EXTERNS list keeps what is still undefined, and kernels whose address is taken (observed); the
 * place of a kernel's list stays even when it is empty, because the kernel inherits others'
 * entries. */
static bool filter_externs(link_context *link, struct input_object *object,
                           struct function *function, const struct info_record *record,
                           struct output_record *output)
{
    if (!function)
        return false;
    size_t first = function->externs_count;
    for (unsigned i = 0; i < record->value / 4u; i++) {
        struct symbol *symbol = object->symbols[info_record_word(record, i)];
        if (symbol && is_extern(symbol))
            *ARENA_APPEND(ARENA, function, externs) = symbol;
    }
    output->symbols = function->externs;
    output->symbol_count = (uint32_t)(function->externs_count - first);
    output->value = (uint16_t)(4 * output->symbol_count);
    return function->kernel || output->symbol_count;
}

static void note_global_resource(struct input_object *object, const struct info_record *record,
                                 uint32_t position)
{
    if (record->code != EIATTR_REGCOUNT && record->code != EIATTR_FRAME_SIZE)
        return; /* the first word of others need not be a symbol */
    struct symbol *symbol = object->symbols[info_record_word(record, 0)];
    struct function *function = symbol ? symbol->function : NULL;
    if (!function)
        return;
    if (record->code == EIATTR_REGCOUNT) {
        function->register_count = info_record_word(record, 1);
        function->has_register_count = true;
        function->register_record = position;
    } else if (record->code == EIATTR_FRAME_SIZE) {
        function->frame_size = info_record_word(record, 1);
    }
}

/* An attribute counts from where it was first read, even when its record does not stay. */
static void note_inherited(link_context *link, struct function *function,
                           const struct info_record *record)
{
    enum inherited_kind kind = inherited_kind(record->code);
    if (kind == INHERITED_COUNT)
        return;
    struct inherited *own = &function->inherited[kind];
    if (!own->sequence)
        own->sequence = link->records_read;
    own->value = record->format == INFO_FORMAT_BYTE ? record->value & 0xff : record->value;
}

static void note_place(struct function *function, const struct info_record *record,
                       uint32_t position)
{
    enum inherited_kind kind = inherited_kind(record->code);
    if (kind != INHERITED_COUNT)
        function->inherited[kind].record = position;
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (attribute && attribute->propagation == INFO_PROPAGATION_CALL_STACK && record->value >= 4 &&
        record->format == INFO_FORMAT_SIZED) {
        function->call_stack_record = position;
        function->call_stack_size = info_record_word(record, 0);
    }
    if (record->code == EIATTR_MAXREG_COUNT && !function->register_limit)
        function->register_limit = record->value;
    if (record->code == EIATTR_SPARSE_MMA_MASK) {
        function->sparse_mask |= record->value;
        function->sparse_record = position;
    }
}

/* Kernels that reach a function with a preference for caching get a record of their own. */
static void note_cache_request(struct input_object *object, const struct info_record *record)
{
    if (record->format != INFO_FORMAT_SIZED || record->value < 8 || !info_record_word(record, 1))
        return;
    struct symbol *symbol = object->symbols[info_record_word(record, 0)];
    if (symbol && symbol->function)
        symbol->function->inherited[INHERITED_CACHING].sequence = INHERITED_LAST_SEQUENCE;
}

/* Whether an input's record has a place in the output. */
static bool stays(link_context *link, struct input_object *object, struct function *function,
                  const struct info_record *record, struct output_record *output)
{
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (!attribute)
        return true;
    switch ((enum info_merge)attribute->merge) {
    case INFO_MERGE_DROP:
        return false;
    case INFO_MERGE_WITH_SYMBOL:
        return record->format != INFO_FORMAT_SIZED ||
               used_symbol(object, info_record_word(record, 0));
    case INFO_MERGE_PRESENT:
        return record->format != INFO_FORMAT_SIZED || is_present(object, record);
    case INFO_MERGE_CACHING:
        note_cache_request(object, record);
        return false;
    case INFO_MERGE_FILTER:
        return filter_externs(link, object, function, record, output);
    default:
        return true;
    }
}

void merge_records(link_context *link, struct input_object *object, const struct elf_section *input,
                   struct output_section *output, struct function *function)
{
    struct bytes rest = {input->data, input->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        struct output_record copy = {record.payload, object,        NULL,       0,
                                     record.value,   record.format, record.code};
        link->records_read++;
        if (function)
            note_inherited(link, function, &record);
        if (!stays(link, object, function, &record, &copy))
            continue;
        *ARENA_APPEND(ARENA, output, records) = copy;
        uint32_t position = (uint32_t)output->records_count;
        if (function)
            note_place(function, &record, position);
        else
            note_global_resource(object, &record, position);
    }
}
