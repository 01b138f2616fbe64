/* Divides the bytes of a cubin among its functions and variables; see weigh.h. */
#include "tool/size/weigh.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "readable_name/readable_name.h"
#include "tool/decode/readable_label.h"
#include "tool/decode/subject.h"

const char SPACE_DEBUG[] = "debug information";

struct weigher {
    const struct subject *subject;
    struct weights *weights;
    struct arena *arena;
    struct readable_names readable;
    uint64_t *shares; /* for each section: bytes in the file that are in no preceding section */
    struct variable_list *variables; /* for each section */
};

/* ---------------------------------------------------------------------------------------------- */
/* Bytes of the file                                                                              */

struct span {
    uint64_t start, end;
    uint32_t section;
};

static int compare_spans(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->section < y->section ? -1 : x->section > y->section;
}

/* Sets the shares of the sections. Returns their sum: the number of bytes that are in sections. */
static uint64_t divide_file(struct weigher *weigher)
{
    const struct elf_view *view = &weigher->subject->view;
    struct span *spans = ARENA_ARRAY(weigher->arena, struct span, view->section_count);
    weigher->shares = ARENA_ARRAY(weigher->arena, uint64_t, view->section_count);
    for (uint32_t i = 1; i < view->section_count; i++)
        spans[i] = (struct span){section_offset(view, &view->sections[i]),
                                 section_file_end(view, &view->sections[i]), i};
    if (view->section_count > 1)
        qsort(spans + 1, view->section_count - 1, sizeof *spans, compare_spans);
    uint64_t covered = 0, all = 0;
    for (uint32_t i = 1; i < view->section_count; i++) {
        uint64_t start = spans[i].start > covered ? spans[i].start : covered;
        if (spans[i].end <= start)
            continue;
        weigher->shares[spans[i].section] = spans[i].end - start;
        all += spans[i].end - start;
        covered = spans[i].end;
    }
    return all;
}

/* ---------------------------------------------------------------------------------------------- */
/* Spaces of sections                                                                             */

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* Returns the memory space of a section. The name decides, because in executables all sections in
 * memory have the type PROGBITS or NOBITS. */
static const char *space_of_memory(const struct elf_section *section)
{
    if (elf_section_is_code(section))
        return "code";
    if (section_name_constant_bank(section->name) >= 0)
        return "constant memory";
    if (starts_with(section->name, ".nv.shared") || starts_with(section->name, ".nv_debug.shared"))
        return "shared memory";
    if (starts_with(section->name, ".nv.local"))
        return "local memory";
    if (starts_with(section->name, ".nv.global"))
        return "global memory";
    return "other memory";
}

static const char *space_of(const struct elf_section *section)
{
    if (section->view == VIEW_MERCURY)
        return "Mercury view";
    if (section->kind == INPUT_DEBUG || starts_with(section->name, ".debug_") ||
        starts_with(section->name, ".nv_debug_"))
        return SPACE_DEBUG;
    if (section->flags & SHF_ALLOC)
        return space_of_memory(section);
    if (elf_section_is_relocation(section))
        return "relocations";
    switch (section_type_form(section->type)) {
    case FORM_STRINGS:
    case FORM_SYMBOLS:
    case FORM_INDICES:
        return "symbols and names";
    default:
        return "attributes and notes";
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Owners of sections                                                                             */

/* Returns the readable name of the function to whose code the section belongs, or NULL. Follows the
 * chain of owners (section_owner). The longest chain has three steps: from the relocations of a
 * function's Mercury constants to these constants, to the Mercury code, and to the native code. */
static const char *owner_of(struct weigher *weigher, const struct elf_section *section)
{
    enum { STEPS = 4 };
    const struct elf_view *view = &weigher->subject->view;
    for (int step = 0; step < STEPS; step++) {
        if (elf_section_is_code(section) && section->view == VIEW_NATIVE &&
            section->type == SHT_PROGBITS) {
            struct elf_symbol symbol =
                elf_view_symbol(view, VIEW_NATIVE, section->info & ELF_CODE_SYMBOL_MASK);
            return readable_label(&weigher->readable, symbol.name);
        }
        uint32_t owner = section_owner(view, section);
        if (!owner)
            return NULL;
        section = &view->sections[owner];
    }
    return NULL;
}

/* ---------------------------------------------------------------------------------------------- */
/* Variables                                                                                      */

struct variable {
    uint64_t value;
    uint64_t size;
    const char *name;
};

struct variable_list {
    GROWING_ARRAY(struct variable, all);
};

static int compare_variables(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void collect_variables(struct weigher *weigher)
{
    const struct elf_view *view = &weigher->subject->view;
    weigher->variables = ARENA_ARRAY(weigher->arena, struct variable_list, view->section_count);
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        if (!elf_symbol_is_variable(&symbol) || !symbol.section ||
            symbol.section >= view->section_count)
            continue;
        struct variable_list *list = &weigher->variables[symbol.section];
        *ARENA_APPEND(weigher->arena, list, all) =
            (struct variable){symbol.value, symbol.size, symbol.name};
    }
}

static void add_weight(struct weigher *weigher, const struct elf_section *section, uint64_t file,
                       uint64_t memory, const char *owner)
{
    if (file || memory)
        *ARENA_APPEND(weigher->arena, weigher->weights, all) =
            (struct weight){file, memory, section_label(weigher->subject, section->index),
                            space_of(section), owner};
}

/* Divides the bytes of a section among its variables. Bytes in no variable get no owner. Requires:
 * the section belongs to no function. */
static void weigh_variables(struct weigher *weigher, const struct elf_section *section,
                            uint64_t file, uint64_t memory)
{
    struct variable_list *list = &weigher->variables[section->index];
    bool has_bytes = file == section->size, is_memory = memory == section->size;
    uint64_t covered = 0;
    if (list->all_count)
        qsort(list->all, list->all_count, sizeof *list->all, compare_variables);
    for (uint32_t i = 0; i < list->all_count; i++) {
        const struct variable *variable = &list->all[i];
        uint64_t end = variable->value + variable->size;
        if (variable->value < covered || end < variable->value || end > section->size)
            continue;
        uint64_t in_file = has_bytes ? variable->size : 0;
        uint64_t in_memory = is_memory ? variable->size : 0;
        add_weight(weigher, section, in_file, in_memory,
                   readable_label(&weigher->readable, variable->name));
        covered = end;
        file -= in_file;
        memory -= in_memory;
    }
    add_weight(weigher, section, file, memory, NULL);
}

void weights_read(struct weights *weights, const struct subject *subject, struct arena *arena)
{
    struct weigher weigher = {subject, weights, arena, {.arena = arena}, NULL, NULL};
    const struct elf_view *view = &subject->view;
    *weights = (struct weights){.all = NULL};
    uint64_t outside = view->file.size - divide_file(&weigher);
    collect_variables(&weigher);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        bool is_memory = section->flags & SHF_ALLOC && section->view == VIEW_NATIVE;
        uint64_t file = weigher.shares[i], memory = is_memory ? section->size : 0;
        const char *owner = owner_of(&weigher, section);
        if (owner)
            add_weight(&weigher, section, file, memory, owner);
        else
            weigh_variables(&weigher, section, file, memory);
    }
    *ARENA_APPEND(arena, weights, all) =
        (struct weight){outside, 0, "[headers and padding]", "headers and padding", NULL};
}
