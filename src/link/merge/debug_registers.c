/* Merges .nv_debug_info_reg_sass of the native view; see debug_registers.h.
 *
 * Part of pass_merge. The section has a part for each function: the function's name, the number of
 * records, and the records. A record consists of a word, the name of a PTX register, a word with
 * the native register, and the first and the last address.
 *
 * nvlink 13.0.88 finds the function by its name. If the function is not in the output, or if this
 * copy was discarded, nvlink writes 0 for the addresses (15 links of objects of nvcc -G). If the
 * copy was superseded, nvlink's output differs from run to run; warpld writes 0. Contents that do
 * not have this form are copied unchanged. */
#include "link/merge/debug_registers.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/merge/merge_state.h"
#include "link/model/input_object.h"
#include "link/model/output.h"

enum {
    WORD = 4,
    ADDRESSES = 2 * WORD,  /* size of the first and the last address together */
    RECORD_END = 3 * WORD, /* size of the part of a record that follows the register's name */
};

struct named_function {
    struct name name;
    uint32_t symbol; /* symbol index in the object */
};

/* Collects the function symbols of the object by name. Does nothing if the previous call was for
 * the same object. */
static void collect_functions(link_context *link, const struct input_object *object)
{
    struct debug_functions *functions = &link->merge->debug_functions;
    if (functions->object == object)
        return;
    functions->object = object;
    name_table_init(&functions->table, &link->arena, sizeof(struct named_function));
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (symbol.type != STT_FUNC)
            continue;
        struct named_function *function = name_table_intern(&functions->table, symbol.name);
        function->symbol = i;
    }
}

/* Returns the offset after the NUL of the text at `offset`. Returns 0 if fewer than `more` bytes
 * follow the NUL. */
static uint64_t text_end(struct bytes bytes, uint64_t offset, uint64_t more)
{
    const uint8_t *end =
        offset < bytes.size ? memchr(bytes.data + offset, 0, bytes.size - offset) : NULL;
    uint64_t after = end ? (uint64_t)(end - bytes.data) + 1 : 0;
    return after && bytes.size - after >= more ? after : 0;
}

static bool has_addresses(const struct input_object *object, const struct name_table *functions,
                          const char *name)
{
    const struct named_function *function = name_table_find(functions, name);
    return !function || input_function_is_used(object, function->symbol);
}

/* Zeroes the addresses in the records of one function, unless has_any is true: then the function
 * has addresses in the output. Returns the offset after the last record, or 0 if the records are
 * cut off. */
static uint64_t clear_addresses(uint8_t *copy, struct bytes bytes, uint64_t offset, uint32_t count,
                                bool has_any)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t end = bytes.size - offset < WORD ? 0 : text_end(bytes, offset + WORD, RECORD_END);
        if (!end)
            return 0;
        offset = end + RECORD_END;
        if (!has_any)
            memset(copy + offset - ADDRESSES, 0, ADDRESSES);
    }
    return offset;
}

/* Appends a copy of the section to the output section. In the copy, the addresses of functions that
 * are not in the output are 0. */
void debug_registers_merge(link_context *link, struct input_object *object, uint32_t section,
                           struct output_section *output)
{
    const struct elf_section *input = &object->elf.sections[section];
    struct bytes bytes = {input->data, input->size};
    collect_functions(link, object);
    uint8_t *copy = ARENA_ARRAY(&link->arena, uint8_t, input->size + 1);
    if (input->size)
        memcpy(copy, input->data, input->size);
    uint64_t offset = 0, records;
    while (offset < bytes.size && (records = text_end(bytes, offset, WORD)) != 0) {
        bool has_any = has_addresses(object, &link->merge->debug_functions.table,
                                     (const char *)bytes.data + offset);
        offset =
            clear_addresses(copy, bytes, records + WORD, load_u32(bytes.data + records), has_any);
        if (!offset)
            break;
    }
    output_append_bytes(link, output, object, section, (struct bytes){copy, input->size});
}
