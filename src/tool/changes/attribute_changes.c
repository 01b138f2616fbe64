/* Compares the attributes that no other part of changes_find compares; see changes.h.
 *
 * Two kinds of attributes are not compared: those that name symbols, and those that hold offsets of
 * instructions. Any change of the code changes these offsets. */
#include <inttypes.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "tool/changes/changes.h"
#include "tool/decode/subject.h"
#include "tool/program/program.h"

/* The attributes of one function: values as text, indexed by attribute code. A value is NULL if the
 * function has no record of this code. */
struct attribute_values {
    const char *texts[INFO_CODE_COUNT];
};

static bool is_covered(unsigned code)
{
    switch (code) {
    case EIATTR_KPARAM_INFO:
    case EIATTR_KPARAM_INFO_V2:
    case EIATTR_CBANK_PARAM_SIZE:
    case EIATTR_MAXREG_COUNT:
    case EIATTR_NUM_BARRIERS:
    case EIATTR_MAX_THREADS:
    case EIATTR_REQNTID:
        return true;
    default:
        return false;
    }
}

static bool is_compared(const struct info_attribute *attribute)
{
    return attribute && attribute->symbols == INFO_SYMBOLS_NO &&
           attribute->payload != INFO_PAYLOAD_OFFSETS && !is_covered(attribute->code);
}

/* Returns the value of a record as text, such as "2 1 1"; "yes" for a record without a value. */
static const char *record_text(const struct info_record *record, struct arena *arena)
{
    enum { MOST_WORDS = 16 };
    if (record->format != INFO_FORMAT_SIZED)
        return record->format == INFO_FORMAT_NONE ? "yes"
                                                  : arena_format(arena, "%u", record->value);
    const char *text = "";
    for (uint32_t i = 0; i < record->value / 4U && i < MOST_WORDS; i++)
        text = arena_format(arena, "%s%s%" PRIu32, text, i ? " " : "", info_record_word(record, i));
    return text;
}

static void read_section(struct attribute_values *values, const struct elf_section *section,
                         struct arena *arena)
{
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (info_record_next(&rest, &record))
        if (is_compared(info_attribute_find(record.code)))
            values->texts[record.code] = record_text(&record, arena);
}

/* Returns an array that is indexed like the functions that the program defines. If a function has
 * several records of the same code, the last one is used. */
struct attribute_values *attribute_values_read(const struct program *program, struct arena *arena)
{
    const struct elf_view *view = &program->subject->view;
    struct attribute_values *values =
        ARENA_ARRAY(arena, struct attribute_values, program->defined_count);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        const struct program_function *function =
            section->type == SHT_CUDA_INFO ? program_owner(program, section) : NULL;
        if (function)
            read_section(&values[program_index(program, function)], section, arena);
    }
    return values;
}

void compare_attributes(struct changes *changes, struct change *change,
                        const struct attribute_values *old, uint32_t old_index,
                        const struct attribute_values *new, uint32_t new_index)
{
    for (unsigned code = 0; code < INFO_CODE_COUNT; code++) {
        const char *before = old[old_index].texts[code], *after = new[new_index].texts[code];
        if (before || after)
            change_text(changes, change,
                        arena_format(changes->arena, "attribute %s", INFO_ATTRIBUTES[code].name),
                        before, after);
    }
}
