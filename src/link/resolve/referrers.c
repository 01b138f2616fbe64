/* Functions and variables that refer to undefined symbols; see referrers.h. pass_undefined calls
 * these functions when a link fails. nvlink names only the first file that refers to a symbol. */
#include "link/resolve/referrers.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "base/name_table.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/symbols.h"
#include "link/notes/shown_name.h"

/* --------------------------------------------------------------------------------------------- */
/* Variables by offset */

struct variable {
    uint32_t section;
    uint64_t start, end;
    uint32_t index; /* symbol index */
    const char *name;
};

struct reader {
    link_context *link;
    struct referrers *by_number;
    const struct input_object *object;
    struct variable *variables; /* variables of the object, sorted; NULL until they are needed */
    size_t variable_count;
};

static int variables_by_offset(const void *a, const void *b)
{
    const struct variable *first = a, *second = b;
    if (first->section != second->section)
        return first->section < second->section ? -1 : 1;
    if (first->start != second->start)
        return first->start < second->start ? -1 : 1;
    return first->index < second->index ? -1 : 1;
}

static void sort_variables(struct reader *reader)
{
    link_context *link = reader->link;
    const struct elf_view *elf = &reader->object->elf;
    uint32_t count = elf->symbols[VIEW_NATIVE].count;
    reader->variables = ARENA_ARRAY(&link->arena, struct variable, count);
    for (uint32_t i = 1; i < count; i++) {
        struct elf_symbol symbol = elf_view_symbol(elf, VIEW_NATIVE, i);
        if (elf_symbol_is_variable(&symbol) && symbol.section != SHN_UNDEF &&
            symbol.section < elf->section_count)
            reader->variables[reader->variable_count++] = (struct variable){
                symbol.section, symbol.value, symbol.value + symbol.size, i, symbol.name};
    }
    if (reader->variable_count)
        qsort(reader->variables, reader->variable_count, sizeof *reader->variables,
              variables_by_offset);
}

/* Returns the name of the variable that contains the byte; NULL if there is none. */
static const char *variable_at(struct reader *reader, uint32_t section, uint64_t offset)
{
    if (!reader->variables)
        sort_variables(reader);
    size_t low = 0, high = reader->variable_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct variable *variable = &reader->variables[middle];
        bool is_before = variable->section < section ||
                         (variable->section == section && variable->start <= offset);
        if (is_before)
            low = middle + 1;
        else
            high = middle;
    }
    const struct variable *found = low ? &reader->variables[low - 1] : NULL;
    return found && found->section == section && offset < found->end ? found->name : NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Relocations                                                                                   */

/* Adds a referrer, unless it was the last to be added. This is enough to add each referrer only
 * once, because all entries of a section are read together and in order. */
static void add_referrer(struct referrers *referrers, const struct referrer *referrer)
{
    const struct referrer *last = &referrers->last;
    if (last->object == referrer->object && last->name == referrer->name &&
        (referrer->name || last->section == referrer->section))
        return;
    referrers->last = *referrer;
    if (referrers->count < SHOWN_REFERRERS)
        referrers->shown[referrers->count] = *referrer;
    referrers->count++;
}

/* Whether a reference to an undefined symbol counts. A removed function does not need undefined
 * functions, but it needs undefined variables (as in nvlink's reports). */
static bool reference_counts(const struct symbol *symbol, const struct symbol *owner)
{
    bool removed = owner && owner->function && !owner->function->kept;
    return symbol && symbol_rare(symbol)->undefined_number && !(removed && symbol->function);
}

static void read_referring_places(struct reader *reader, const struct elf_section *target,
                                  const struct symbol *owner, const struct elf_section *relocations)
{
    for (uint32_t i = 0; i < relocations->entry_count; i++) {
        struct elf_relocation entry = elf_section_relocation(relocations, i);
        const struct symbol *symbol = reader->object->symbols[entry.symbol];
        if (!reference_counts(symbol, owner))
            continue;
        struct referrer referrer = {reader->object, target, NULL};
        referrer.name =
            owner ? symbol_name(owner) : variable_at(reader, target->index, entry.offset);
        add_referrer(&reader->by_number[symbol_rare(symbol)->undefined_number - 1], &referrer);
    }
}

static bool is_of_program(enum input_kind kind)
{
    return kind == INPUT_TEXT || kind == INPUT_GLOBAL_INIT || kind == INPUT_CONSTANT_USER ||
           kind == INPUT_CONSTANT_ENTRY || kind == INPUT_CARRIED;
}

/* Reads the relocations of an object in the order of the sections that they patch, not in the order
 * of the file, because code can have both .rel and .rela sections, which belong to one referrer.
 * `first` and `next` are chains of the relocation sections that patch one section. */
static void read_object(struct reader *reader)
{
    link_context *link = reader->link;
    const struct elf_view *elf = &reader->object->elf;
    uint32_t *first = ARENA_ARRAY(&link->arena, uint32_t, elf->section_count);
    uint32_t *next = ARENA_ARRAY(&link->arena, uint32_t, elf->section_count);
    for (uint32_t i = elf->section_count; i-- > 1;)
        if (input_section_kind(&elf->sections[i]) == INPUT_RELOCATIONS) {
            next[i] = first[elf->sections[i].info];
            first[elf->sections[i].info] = i;
        }
    for (uint32_t i = 1; i < elf->section_count; i++) {
        if (!first[i] || !is_of_program(input_section_kind(&elf->sections[i])))
            continue;
        uint32_t index = 0;
        const struct symbol *owner =
            input_section_function(reader->object, &elf->sections[i], &index);
        if (reader->object->copies[index] == COPY_DISCARDED)
            continue;
        for (uint32_t r = first[i]; r; r = next[r])
            read_referring_places(reader, &elf->sections[i], owner, &elf->sections[r]);
    }
}

void referrers_collect(link_context *link, struct referrers *by_number)
{
    for (size_t i = 0; i < link->objects_count; i++) {
        struct reader reader = {.link = link, .by_number = by_number, .object = link->objects[i]};
        read_object(&reader);
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Notes                                                                                         */

struct shown_referrer {
    struct name address; /* its text is an array of one pointer, the name in struct referrer */
    const char *text;
};

void shown_referrers_init(struct shown_referrers *shown, link_context *link)
{
    name_table_init(&shown->by_address, &link->arena, sizeof(struct shown_referrer));
}

static const char *shown_referrer(link_context *link, struct shown_referrers *shown,
                                  const char *name)
{
    const struct shown_referrer *known =
        name_table_find_bytes(&shown->by_address, (const char *)&name, sizeof name);
    if (known)
        return known->text;
    const char **address = ARENA_NEW(&link->arena, const char *);
    *address = name;
    struct shown_referrer *added =
        name_table_intern_bytes(&shown->by_address, (const char *)address, sizeof *address);
    added->text = shown_name(&link->arena, name);
    return added->text;
}

static void report_referrer(link_context *link, struct shown_referrers *shown,
                            const struct referrer *referrer)
{
    const char *input = referrer->object->name, *section = referrer->section->name;
    if (referrer->name)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REFERRED_BY, input, referrer->name,
                          shown_referrer(link, shown, referrer->name), input, section);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REFERRED_IN, input, NULL, input, section);
}

bool referrers_are_same(const struct referrers *a, const struct referrers *b)
{
    if (a->count != b->count || a->count > SHOWN_REFERRERS)
        return false;
    for (uint64_t i = 0; i < a->count; i++)
        if (a->shown[i].object != b->shown[i].object || a->shown[i].name != b->shown[i].name ||
            (!a->shown[i].name && a->shown[i].section != b->shown[i].section))
            return false;
    return true;
}

void referrers_report(link_context *link, struct shown_referrers *shown,
                      const struct referrers *referrers)
{
    uint64_t count = referrers->count < SHOWN_REFERRERS ? referrers->count : SHOWN_REFERRERS;
    for (uint64_t i = 0; i < count; i++)
        report_referrer(link, shown, &referrers->shown[i]);
    if (referrers->count > count)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REFERRED_MORE, NULL, NULL,
                          (unsigned long long)(referrers->count - count));
}
