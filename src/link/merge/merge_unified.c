/* Merges the sections of the unified tables; see merge_unified.h.
 *
 * All stubs of a program are slots of one section, .nv.uft. This section is made for the first
 * stub, together with the section for the attributes of all stubs (observed with nvlink
 * 13.0.88). */
#include "link/merge/merge_unified.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "base/trace.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/unified_index.h"
#include "link/merge/merge_sections.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/model/unified.h"

#define STUB_PREFIX "__cuda_uf_stub_"

static bool has_section(const struct input_object *object, uint32_t type)
{
    bool may_have = elf_view_has(&object->elf, INPUT_UNIFIED);
    for (uint32_t i = 1; may_have && i < object->elf.section_count; i++)
        if (object->elf.sections[i].type == type)
            return true;
    return false;
}

static bool is_in_any(const link_context *link, uint32_t type)
{
    for (size_t o = 0; o < link->objects_count; o++)
        if (has_section(link->objects[o], type))
            return true;
    return false;
}

static struct output_section *add_table_list(link_context *link, struct unified_table *table,
                                             const char *name, enum section_shape shape)
{
    if (!table->list)
        table->list = output_add(link, name, shape);
    return table->list;
}

/* In a final link that does not make .nv.uft.entry, skips the creation number of this section. */
void unified_start(link_context *link)
{
    struct output *output = &link->output;
    if (!link->options.relocatable && is_in_any(link, SHT_CUDA_UFT_ENTRY))
        add_table_list(link, &link->unified[UNIFIED_FUNCTIONS], ".nv.uft.entry", SHAPE_UFT_ENTRY);
    else if (!link->options.relocatable)
        output->next_creation++;
}

void unified_start_index(link_context *link)
{
    if (!link->options.unified_index)
        return;
    struct bytes file = {link->options.unified_index, link->options.unified_index_size};
    struct output_section *section = output_add_shared(link, ".nv.uidx", SHAPE_UNIFIED_INDEX);
    output_replace(link, section, file);
    if (output_counterpart(section))
        output_replace(link, output_counterpart(section), file);
}

/* --------------------------------------------------------------------------------------------- */
/* Stubs                                                                                         */

static struct output_section *add_code(link_context *link, struct function *stub, const char *name)
{
    struct output_section *code = output_add(link, name, SHAPE_UFT);
    code->names_symbols = true;
    code->owner = stub;
    code->info_is_function = true;
    return code;
}

static struct output_section *add_table_info(link_context *link, struct output_section *code,
                                             const char *name)
{
    struct output_section *info = output_add(link, name, SHAPE_FUNCTION_INFO);
    info->names_symbols = true;
    info->info = code;
    return info;
}

static const char *name_after_prefix(const char *name)
{
    size_t size = strlen(STUB_PREFIX);
    return strncmp(name, STUB_PREFIX, size) ? name : name + size;
}

void unified_add_stub(link_context *link, struct function *stub)
{
    struct unified_table *table = &link->unified[UNIFIED_FUNCTIONS];
    if (link->options.relocatable) {
        const char *name = name_after_prefix(symbol_name(stub->symbol));
        stub->text = add_code(link, stub, arena_format(&link->arena, ".nv.uft.rel.%s", name));
        return;
    }
    if (!table->contents) {
        table->contents = add_code(link, stub, ".nv.uft");
        table->info = add_table_info(link, table->contents, ".nv.info..nv.uft");
    }
    stub->text = table->contents;
    stub->info = table->info;
}

/* --------------------------------------------------------------------------------------------- */
/* Variables and records                                                                         */

/* The stubs of one object that belong to functions of one name. Usually there is one stub. In
 * relocatable outputs several static functions can have the same name; their stubs are then in the
 * order of the records. */
struct stub_name {
    struct name name;
    GROWING_ARRAY(uint32_t, indices);
    size_t next; /* index in `indices` of the stub for the next record with this name */
};

static void collect_stubs(link_context *link, struct unified_table *table,
                          const struct input_object *object)
{
    if (table->stubs_of == object)
        return;
    table->stubs_of = object;
    name_table_init(&table->stubs, &link->arena, sizeof(struct stub_name));
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        const struct symbol *symbol = object->symbols[i];
        if (!symbol || !symbol->function || !symbol->function->is_stub || !object->copies[i])
            continue;
        const char *name = symbol_name(symbol);
        struct stub_name *stub = name_table_intern(&table->stubs, name_after_prefix(name));
        *ARENA_APPEND(&link->arena, stub, indices) = i;
    }
}

/* Returns the symbol index of the next stub for a function of this name. Returns the last stub
 * again if there are no more, and 0 if there is none. */
static uint32_t stub_of(const struct name_table *stubs, const struct symbol *function)
{
    struct stub_name *stub = name_table_find(stubs, symbol_name(function));
    if (!stub)
        return 0;
    return stub->indices[stub->next < stub->indices_count - 1 ? stub->next++ : stub->next];
}

static void set_contents(struct unified_entry *entry, uint32_t index, enum unified_table_kind kind)
{
    struct elf_symbol contents = elf_view_symbol(&entry->object->elf, VIEW_NATIVE, index);
    entry->contents = index;
    entry->input_section = contents.section;
    entry->input_offset = contents.value;
    entry->size = kind == UNIFIED_FUNCTIONS ? UNIFIED_SLOT_SIZE : contents.size;
}

/* Reads the entries of an input section into the table, and finds the stub or variable of each
 * entry. */
static void read_entries(link_context *link, struct input_object *object,
                         const struct elf_section *input, enum unified_table_kind kind)
{
    struct unified_table *table = &link->unified[kind];
    uint32_t count = input->entry_count;
    if (kind == UNIFIED_FUNCTIONS) {
        TRACE(&link->trace, TRACE_UNIFIED_MERGE);
        TRACE(&link->trace, TRACE_UNIFIED_MERGE_COUNT, count);
        collect_stubs(link, table, object);
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *record = input->data + (uint64_t)i * ELF_UNIFIED_ENTRY_SIZE;
        uint32_t index = load_u32(record);
        struct unified_entry entry = {
            .object = object,
            .symbol = object->symbols[index],
            .index = index,
            .flags = load_u32(record + 4),
            .id = {load_u64(record + 16), load_u64(record + 24)},
            .number = (uint32_t)table->entries_count,
        };
        if (entry.symbol && kind == UNIFIED_FUNCTIONS)
            index = stub_of(&table->stubs, entry.symbol);
        if (entry.symbol)
            set_contents(&entry, index, kind);
        if (link->trace.categories)
            trace_unified_entry(link, &entry, kind);
        *ARENA_APPEND(&link->arena, table, entries) = entry;
    }
    table->list->size = (uint64_t)table->entries_count * ELF_UNIFIED_ENTRY_SIZE;
    if (output_counterpart(table->list))
        output_counterpart(table->list)->size = table->list->size;
}

static void merge_list(link_context *link, struct input_object *object,
                       const struct elf_section *input, enum unified_table_kind kind)
{
    struct unified_table *table = &link->unified[kind];
    struct output_section *list =
        kind == UNIFIED_FUNCTIONS ? add_table_list(link, table, ".nv.uft.entry", SHAPE_UFT_ENTRY)
                                  : add_table_list(link, table, ".nv.udt.entry", SHAPE_UDT_ENTRY);
    bool has_link = kind == UNIFIED_DATA || link->options.relocatable;
    list->names_symbols = has_link;
    list->alignment = has_link ? elf_section_alignment(input) : list->alignment;
    if (output_counterpart(list) && link->options.relocatable)
        output_counterpart(list)->alignment = list->alignment;
    object->contributions[input->index].section = list;
    read_entries(link, object, input, kind);
}

/* Merges an input section by its type: adds entries to their table, or appends variables to
 * .nv.udt. If the section contains the index file of an earlier link, it is appended to the index
 * file of this link (observed with nvlink 13.0.88). Only the index file of this link assigns
 * offsets. */
void unified_merge(link_context *link, struct input_object *object, uint32_t section)
{
    const struct elf_section *input = &object->elf.sections[section];
    struct unified_table *data = &link->unified[UNIFIED_DATA];
    switch (input->type) {
    case SHT_CUDA_UFT_ENTRY:
        merge_list(link, object, input, UNIFIED_FUNCTIONS);
        break;
    case SHT_CUDA_UDT_ENTRY:
        merge_list(link, object, input, UNIFIED_DATA);
        break;
    case SHT_CUDA_UNIFIED_INDEX:
        merge_append(link, object, section, SHAPE_UNIFIED_INDEX);
        break;
    default:
        if (!data->contents)
            data->contents = output_add(link, ".nv.udt", SHAPE_UDT);
        if (data->contents->size != align_up(data->contents->size, elf_section_alignment(input)))
            TRACE(&link->trace, TRACE_UNIFIED_DATA_ALIGNED,
                  (unsigned long long)data->contents->size);
        output_append(link, data->contents, object, section);
        break;
    }
}

/* nvlink 13.0.88 sets two bits in the flags of an entry, and a final link clears the highest bit.
 * The meaning of these bits is unknown. */
#define MERGED_FLAGS UINT32_C(6)
#define CLEARED_FLAG UINT32_C(0x80000000)

/* The entries contain offsets: in a final link, offsets in the unified table. In a relocatable
 * output, offsets of the stubs or variables in their output sections, as with nvlink. */
void unified_write(const link_context *link, const struct output_section *section, uint8_t *out)
{
    const struct output_section *list = link->unified[UNIFIED_FUNCTIONS].list;
    bool is_final = !link->options.relocatable;
    uint32_t cleared = is_final ? CLEARED_FLAG : 0;
    bool functions = list && (section == list || section == output_counterpart(list));
    const struct unified_table *table =
        &link->unified[functions ? UNIFIED_FUNCTIONS : UNIFIED_DATA];
    for (size_t i = 0; i < table->entries_count; i++, out += ELF_UNIFIED_ENTRY_SIZE) {
        const struct unified_entry *entry = &table->entries[i];
        store_u32(out, unified_symbol_index(entry));
        store_u32(out + 4, (entry->flags & ~cleared) | MERGED_FLAGS);
        store_u64(out + 8, is_final ? entry->offset : unified_merged_offset(entry));
        store_u64(out + 16, entry->id.low);
        store_u64(out + 24, entry->id.high);
    }
}
