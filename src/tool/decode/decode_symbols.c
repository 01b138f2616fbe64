/* Decodes the symbol tables; see decode.h. */
#include <inttypes.h>

#include "base/arena.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

static const char *symbol_type(struct arena *arena, unsigned type)
{
    static const char *const STANDARD[] = {"NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE"};
    static const char *const CUDA[] = {"CUDA_TEXTURE", "CUDA_SAMPLER", "CUDA_SURFACE",
                                       "CUDA_OBJECT"};
    if (type <= STT_FILE)
        return STANDARD[type];
    if (type >= STT_CUDA_TEXTURE && type <= STT_CUDA_OBJECT)
        return CUDA[type - STT_CUDA_TEXTURE];
    return arena_format(arena, "0x%x", type);
}

static const char *symbol_binding(struct arena *arena, unsigned binding)
{
    static const char *const NAMES[] = {"LOCAL", "GLOBAL", "WEAK"};
    return binding <= STB_WEAK ? NAMES[binding] : arena_format(arena, "0x%x", binding);
}

/* Returns the names of CUDA's bits in st_other: the kind of function, and the memory space. */
static const char *symbol_other(struct arena *arena, unsigned other)
{
    static const struct {
        unsigned bit;
        const char *name;
    } BITS[] = {{STO_CUDA_MANAGED, "MANAGED"},
                {STO_CUDA_ENTRY, "ENTRY"},
                {STO_CUDA_GLOBAL, "GLOBAL"},
                {STO_CUDA_SHARED, "SHARED"},
                {STO_CUDA_CONSTANT, "CONSTANT"}};
    const char *text = NULL;
    other &= ~(unsigned)STO_VISIBILITY;
    for (unsigned i = 0; i < sizeof BITS / sizeof *BITS; i++) {
        if (other & BITS[i].bit)
            text = text ? arena_format(arena, "%s+%s", text, BITS[i].name) : BITS[i].name;
        other &= ~BITS[i].bit;
    }
    if (other)
        text = arena_format(arena, "%s%s0x%x", text ? text : "", text ? "+" : "", other);
    return text ? text : "-";
}

static void decode_symbol(const struct subject *subject, enum code_view which, uint32_t index,
                          enum detail detail, struct listing *listing)
{
    static const char *const VISIBILITIES[] = {"DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"};
    struct elf_symbol symbol = elf_view_symbol(&subject->view, which, index);
    listing_add_row(listing, 1);
    if (detail == DETAIL_ALL)
        put_number(listing, "index", index);
    else
        put_text(listing, "name", symbol_label(subject, which, index));
    put_hex(listing, "value", symbol.value);
    put_hex(listing, "size", symbol.size);
    put_text(listing, "type", symbol_type(listing->arena, symbol.type));
    put_text(listing, "binding", symbol_binding(listing->arena, symbol.binding));
    put_text(listing, "visibility", VISIBILITIES[symbol.other & STO_VISIBILITY]);
    put_text(listing, "other", symbol_other(listing->arena, symbol.other));
    put_text(listing, "section", section_label(subject, symbol.section));
    if (detail == DETAIL_ALL)
        put_text(listing, "name", symbol_label(subject, which, index));
}

void decode_symbols(const struct subject *subject, const struct elf_section *section,
                    enum detail detail, struct listing *listing)
{
    listing->layout = LAYOUT_TABLE;
    for (uint32_t i = 0; i < section->entry_count; i++)
        decode_symbol(subject, section->view, i, detail, listing);
}
