/* Adds up the labels that a command can show; see label_uses.h.
 *
 * The sum is an upper bound: for each entry of a section, it has the labels of the entry's symbols,
 * and the label of the function that owns the section, because some commands name it in each row.
 * The search ends as soon as the sum exceeds its limit. */
#include "tool/decode/label_uses.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "tool/decode/subject.h"

/* The labels may have this number of bytes for each byte of the file, and LEAST_LIMIT more. */
enum { LABEL_BYTES_PER_FILE_BYTE = 16, LEAST_LIMIT = 1 << 30 };

struct label_uses {
    const struct subject *subject;
    uint64_t left;      /* number of bytes that further labels may have */
    uint64_t *sections; /* sizes of the labels */
    uint64_t *symbols[VIEW_COUNT];
    struct arena arena;
};

static void use(struct label_uses *uses, uint64_t size)
{
    uses->left -= size < uses->left ? size : uses->left;
}

static void use_section(struct label_uses *uses, uint32_t index)
{
    if (index < uses->subject->view.section_count)
        use(uses, uses->sections[index]);
}

static void use_symbol(struct label_uses *uses, enum code_view which, uint32_t index)
{
    if (index < uses->subject->view.symbols[which].count)
        use(uses, uses->symbols[which][index]);
}

/* Counts a string that the call graph names. */
static void use_string(struct label_uses *uses, enum code_view which, int32_t offset)
{
    const char *text =
        offset < 0 ? NULL : elf_view_string(&uses->subject->view, which, (uint32_t)offset);
    use(uses, text ? strlen(text) : 0);
}

/* Counts the labels themselves and, for each symbol, its section and the path of the file. */
static void measure_labels(struct label_uses *uses)
{
    const struct subject *subject = uses->subject;
    const struct elf_view *view = &subject->view;
    uint64_t path = strlen(subject->path);
    uses->sections = ARENA_ARRAY(&uses->arena, uint64_t, view->section_count);
    for (uint32_t i = 0; i < view->section_count && uses->left; i++) {
        uses->sections[i] = strlen(subject->labels.sections[i]);
        use(uses, uses->sections[i]);
    }
    for (int which = 0; which < VIEW_COUNT; which++) {
        uint32_t count = view->symbols[which].count;
        uses->symbols[which] = ARENA_ARRAY(&uses->arena, uint64_t, count);
        for (uint32_t i = 0; i < count && uses->left; i++) {
            uses->symbols[which][i] = strlen(subject->labels.symbols[which][i]);
            use(uses, uses->symbols[which][i] + path);
            use_section(uses, elf_view_symbol(view, which, i).section);
        }
    }
}

static uint32_t owner_of(const struct elf_view *view, const struct elf_section *section)
{
    enum { STEPS = 4 };
    uint32_t index = section->index;
    for (int step = 0; step < STEPS && !elf_section_is_code(&view->sections[index]); step++)
        index = section_owner(view, &view->sections[index]);
    return index;
}

/* Counts the label of the function that owns the section. */
static void use_owner(struct label_uses *uses, const struct elf_section *section)
{
    const struct elf_view *view = &uses->subject->view;
    const struct elf_section *owner = &view->sections[owner_of(view, section)];
    if (elf_section_is_code(owner))
        use_symbol(uses, owner->view, owner->info & ELF_CODE_SYMBOL_MASK);
}

static void use_header(struct label_uses *uses, const struct elf_section *section)
{
    use_section(uses, elf_view_section_header(&uses->subject->view, section->index).link);
    if (section_info_is_section(section))
        use_section(uses, section->info);
    use_owner(uses, section);
}

static void use_relocations(struct label_uses *uses, const struct elf_section *section)
{
    for (uint32_t i = 0; i < section->entry_count && uses->left; i++) {
        use_symbol(uses, section->view, elf_section_relocation(section, i).symbol);
        use_owner(uses, section);
    }
}

static void use_pairs(struct label_uses *uses, const struct elf_section *section, bool is_callgraph)
{
    int32_t heading = is_callgraph ? 0 : CALLGRAPH_ADDRESS_TAKEN;
    for (uint32_t i = 0; i < section->entry_count && uses->left; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (is_callgraph && !pair.first && pair.second < 0) {
            heading = pair.second;
            continue;
        }
        use_symbol(uses, section->view, pair.first);
        if (heading == CALLGRAPH_ADDRESS_TAKEN || heading == CALLGRAPH_INDIRECT_CALLERS)
            use_string(uses, section->view, pair.second);
        else
            use_symbol(uses, section->view, (uint32_t)pair.second);
    }
}

static void use_attributes(struct label_uses *uses, const struct elf_section *section)
{
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (uses->left && info_record_next(&rest, &record)) {
        const struct info_attribute *attribute = info_attribute_find(record.code);
        uint64_t words = info_record_payload(&record).size / 4;
        use_owner(uses, section);
        if (!attribute || attribute->symbols == INFO_SYMBOLS_NO)
            continue;
        if (attribute->symbols == INFO_SYMBOLS_FIRST && words)
            words = 1;
        for (uint64_t i = 0; i < words; i++)
            use_symbol(uses, section->view, info_record_word(&record, i));
    }
}

static void use_unified(struct label_uses *uses, const struct elf_section *section)
{
    for (uint32_t i = 0; i < section->entry_count && uses->left; i++)
        use_symbol(uses, section->view,
                   load_u32(section->data + (uint64_t)i * ELF_UNIFIED_ENTRY_SIZE));
}

static void use_entries(struct label_uses *uses, const struct elf_section *section)
{
    switch (section_type_form(section->type)) {
    case FORM_REL:
    case FORM_RELA:
        use_relocations(uses, section);
        break;
    case FORM_CALLGRAPH:
    case FORM_PROTOTYPES:
        use_pairs(uses, section, section_type_form(section->type) == FORM_CALLGRAPH);
        break;
    case FORM_ATTRIBUTES:
        use_attributes(uses, section);
        break;
    case FORM_UNIFIED_ENTRIES:
        use_unified(uses, section);
        break;
    default:
        break;
    }
}

bool label_uses_are_affordable(const struct subject *subject, enum label_use use)
{
    const struct elf_view *view = &subject->view;
    struct label_uses uses = {.subject = subject};
    uses.left = LEAST_LIMIT + LABEL_BYTES_PER_FILE_BYTE * view->file.size;
    tool_arena_init(&uses.arena);
    measure_labels(&uses);
    for (uint32_t i = 1; i < view->section_count && uses.left; i++) {
        use_header(&uses, &view->sections[i]);
        if (use == LABELS_OF_ENTRIES)
            use_entries(&uses, &view->sections[i]);
    }
    arena_destroy(&uses.arena);
    return uses.left;
}
