/* Mentions of symbols; see mentions.h. A query reads the symbol tables of the inputs again, because
 * the link keeps no list for queries that may never come. */
#include "link/inspect/mentions.h"

#include "format/elf.h"
#include "format/elf_view.h"
#include "link/inspect/removed.h"
#include "link/inspect/symbol_kind.h"
#include "link/model/input_object.h"
#include "link/model/symbols.h"
#include "link/notes/code_origin.h"

static enum warpld_mention_kind kind_of_mention(const struct input_object *object, uint32_t index,
                                                const struct elf_symbol *input)
{
    if (input->section == SHN_UNDEF)
        return WARPLD_MENTION_REFERENCE;
    if (input->section == ELF_SECTION_COMMON)
        return WARPLD_MENTION_COMMON;
    if (object->copies[index] == COPY_SUPERSEDED)
        return WARPLD_MENTION_SUPERSEDED;
    return object->copies[index] == COPY_DISCARDED ? WARPLD_MENTION_DISCARDED : WARPLD_MENTION_USED;
}

/* Returns true if the output does not contain the symbol at all, neither from this mention nor from
 * another one. */
static bool is_removed(const link_context *link, const struct symbol *symbol)
{
    if (symbol->function)
        return !symbol->function->kept;
    return symbol->defined && symbol->object &&
           !definition_is_kept(link, symbol->object, symbol->input_index);
}

static void describe_entry(link_context *link, const struct input_object *object, uint32_t index,
                           struct warpld_mention *mention)
{
    const struct symbol *symbol = object->symbols[index];
    struct elf_symbol input = elf_view_symbol(&object->elf, VIEW_NATIVE, index);
    bool is_undefined = input.section == SHN_UNDEF;
    *mention = (struct warpld_mention){
        .name = symbol_name(symbol),
        .input =
            is_undefined || symbol->object != object ? object->name : code_origin(link, symbol),
        .used = symbol->defined || symbol->common ? code_origin(link, symbol) : NULL,
        .mention = kind_of_mention(object, index, &input),
        .kind = symbol_kind(symbol),
        .is_local = input.binding == STB_LOCAL,
        .is_weak = input.binding == STB_WEAK,
        .is_removed = is_removed(link, symbol),
        .is_of_linker = symbol->linker_made,
        .bytes = is_undefined ? 0 : input.size,
    };
}

/* Moves to the next entry that is a mention. Returns false at the end. */
static bool advance(const link_context *link, struct mention_walk *walk)
{
    for (; walk->object < link->objects_count; walk->object++, walk->symbol = 0) {
        const struct input_object *object = link->objects[walk->object];
        while (++walk->symbol < object->elf.symbols[VIEW_NATIVE].count)
            if (object->symbols[walk->symbol])
                return true;
    }
    return false;
}

bool describe_mention(link_context *link, struct mention_walk *walk, size_t index,
                      struct warpld_mention *mention)
{
    if (index < walk->next)
        *walk = (struct mention_walk){.next = 0};
    do {
        if (!advance(link, walk))
            return false;
    } while (walk->next++ < index);
    describe_entry(link, link->objects[walk->object], walk->symbol, mention);
    return true;
}
