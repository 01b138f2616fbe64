/* cubintool symbols; see symbols.h. */
#include "tool/symbols.h"

#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/arrange.h"
#include "tool/print/print.h"

/* The kind of a symbol: a letter in the style of nm, and the name of the memory space. For local
 * symbols, the letter is printed in lower case. */
struct space {
    char letter;
    const char *name;
};

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static struct space space_of_section(const struct elf_section *section)
{
    if (elf_section_is_code(section))
        return (struct space){'T', "code"};
    if (section_name_constant_bank(section->name) >= 0)
        return (struct space){'C', "constant"};
    if (section->type == SHT_CUDA_SHARED || strstr(section->name, "shared"))
        return (struct space){'S', "shared"};
    if (starts_with(section->name, ".nv.local"))
        return (struct space){'L', "local"};
    if (starts_with(section->name, ".nv.global.init") || section->type == SHT_CUDA_UDT)
        return (struct space){'D', "global"};
    if (starts_with(section->name, ".nv.global"))
        return (struct space){'B', "global"};
    return (struct space){'N', "other"};
}

static struct space space_of(const struct elf_view *view, const struct elf_symbol *symbol)
{
    if (symbol->type >= STT_CUDA_TEXTURE && symbol->type <= STT_CUDA_SURFACE)
        return (struct space){'X', "texture"};
    if (symbol->section == SHN_UNDEF)
        return (struct space){'U', "undefined"};
    if (symbol->section == ELF_SECTION_COMMON)
        return (struct space){'B', "common"};
    if (symbol->section >= view->section_count)
        return (struct space){'A', "absolute"};
    if (symbol->type == STT_FUNC && symbol->other & STO_CUDA_ENTRY)
        return (struct space){'K', "code"};
    return space_of_section(&view->sections[symbol->section]);
}

static const char *letter_text(struct space space, const struct elf_symbol *symbol,
                               struct arena *arena)
{
    enum { TO_SMALL = 'a' - 'A' };
    bool is_local = symbol->binding == STB_LOCAL && space.letter != 'U';
    return arena_format(arena, "%c", is_local ? space.letter + TO_SMALL : space.letter);
}

static const char *binding_name(const struct elf_symbol *symbol)
{
    return symbol->binding == STB_WEAK ? "weak" : symbol->binding ? "global" : "local";
}

static void put_symbol(const struct subject *subject, uint32_t index, struct listing *listing)
{
    struct elf_symbol symbol = elf_view_symbol(&subject->view, VIEW_NATIVE, index);
    struct space space = space_of(&subject->view, &symbol);
    listing_add_row(listing, 1);
    put_hex(listing, "value", symbol.value);
    put_number(listing, "size", symbol.size);
    put_text(listing, "kind", letter_text(space, &symbol, listing->arena));
    put_text(listing, "space", space.name);
    put_text(listing, "binding", binding_name(&symbol));
    put_text(listing, "section", section_label(subject, symbol.section));
    put_text(listing, "name", symbol_label(subject, VIEW_NATIVE, index));
}

/* Adds a row for each symbol, except symbols of sections and files, and symbols without a name. */
static void list_symbols(const struct subject *subject, struct listing *listing)
{
    const struct elf_view *view = &subject->view;
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        if (*symbol.name && symbol.type != STT_SECTION && symbol.type != STT_FILE)
            put_symbol(subject, i, listing);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

struct symbols_output {
    const struct tool_options *options;
    json_t *files; /* NULL for text and CSV */
    bool has_headings;
    bool is_first;
};

/* A subject_visitor (see subjects.h) that shows the symbols of a cubin. */
static bool show_symbols(void *context, const struct subject *subject)
{
    struct symbols_output *output = context;
    static const char *const NAMES[] = {"name"};
    struct arena arena;
    struct listing listing;
    tool_arena_init(&arena);
    listing_init(&listing, &arena, LAYOUT_TABLE);
    list_symbols(subject, &listing);
    bool is_good = listing_arrange(&listing, output->options, NAMES, 1);
    if (is_good && output->files) {
        json_t *file = json_made(json_object());
        json_object_set_new(file, "file", json_text(subject->path));
        json_object_set_new(file, "symbols", json_listing(&listing));
        json_array_append_new(output->files, file);
    } else if (is_good && output->options->csv) {
        print_csv(&listing, "file", subject->path, &output->has_headings);
    } else if (is_good) {
        printf("%sFile %s\n", output->is_first ? "" : "\n",
               terminal_text_show(&arena, subject->path));
        print_listing(&listing, 2);
    }
    output->is_first = false;
    arena_destroy(&arena);
    return is_good;
}

int command_symbols(const struct tool_options *options)
{
    struct symbols_output output = {.options = options, .is_first = true};
    bool is_good = true;
    output.files = options->json ? json_made(json_array()) : NULL;
    for (size_t i = 0; i < options->file_count; i++)
        is_good &= subjects_visit(options->files[i], options, show_symbols, &output);
    if (output.files)
        print_json(output.files);
    return is_good ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}
