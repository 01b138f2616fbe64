/* Searches the images of fat binaries that the link did not choose; see other_images.h.
 * pass_undefined calls this only in links that fail. Damage in these images is not reported. */
#include "link/image/other_images.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/fatbin.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"

/* The search unpacks at most this many bytes in one link, because libraries for many targets are
 * large. */
static const uint64_t MOST_UNPACKED = UINT64_C(256) << 20;

enum { LONGEST_TARGETS = 200 };

struct image_search {
    link_context *link;
    struct other_definition *by_number;
    const struct input_unit *unit;
    const char *target; /* target of the image that is being read */
    uint64_t unpacked;
};

static void add_target(struct image_search *search, struct other_definition *definition)
{
    link_context *link = search->link;
    if (!definition->unit) {
        definition->unit = search->unit;
        definition->targets = search->target;
    } else if (definition->unit == search->unit && definition->targets != search->target &&
               strlen(definition->targets) < LONGEST_TARGETS) {
        definition->targets =
            arena_format(&link->arena, "%s, %s", definition->targets, search->target);
    }
}

/* Records that the image defines this name, if an undefined symbol has this name. */
static void take_name(struct image_search *search, const char *text)
{
    const struct linked_name *name = link_find_name(search->link, text);
    const struct symbol *named = name ? name_uses(search->link, name)->symbol : NULL;
    uint32_t number = named ? symbol_rare(named)->undefined_number : 0;
    if (number)
        add_target(search, &search->by_number[number - 1]);
}

static bool defines_name(const struct elf_symbol *symbol)
{
    return symbol->binding != STB_LOCAL && symbol->section != SHN_UNDEF &&
           symbol->type != STT_SECTION && symbol->type != STT_NOTYPE;
}

static void read_image(struct image_search *search, struct bytes file)
{
    link_context *link = search->link;
    struct elf_view elf;
    if (elf_identify(file) != ELF_KIND_DEVICE ||
        !elf_view_open(&elf, file, &link->arena, elf_stop_at_damage, NULL))
        return;
    for (uint32_t i = 1; i < elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&elf, VIEW_NATIVE, i);
        if (defines_name(&symbol))
            take_name(search, symbol.name);
    }
}

static bool is_word_byte(uint8_t byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
           (byte >= 'A' && byte <= 'Z') || byte == '_' || byte == '$' || byte == '.' || byte == '%';
}

/* Returns the offset after a comment that begins at `at`, or `at` if no comment begins there. */
static uint64_t skip_comment(struct bytes text, uint64_t at)
{
    bool is_line = text.data[at] == '/' && at + 1 < text.size && text.data[at + 1] == '/';
    if (!is_line) /* compilers write only comments of this kind */
        return at;
    while (at < text.size && text.data[at] != '\n')
        at++;
    return at;
}

static uint64_t word_size(struct bytes text, uint64_t at)
{
    uint64_t size = 0;
    while (at + size < text.size && is_word_byte(text.data[at + size]))
        size++;
    return size;
}

/* Takes a word outside all braces as a name that the PTX defines, unless `is_ignored` is true.
 * Returns true if the next word must be ignored, too: all words after .extern are ignored, because
 * a statement that begins with .extern defines no names. */
static bool take_word(struct image_search *search, const uint8_t *bytes, uint64_t size,
                      bool is_ignored)
{
    enum { LONGEST = 4096 };
    char word[LONGEST + 1];
    if (is_ignored || size > LONGEST)
        return is_ignored;
    memcpy(word, bytes, (size_t)size);
    word[size] = '\0';
    if (!strcmp(word, ".extern"))
        return true;
    take_name(search, word);
    return false;
}

/* Reads the names that PTX defines: words outside all braces, in statements without .extern, and
 * before any initializer. This also reads other words, such as names of parameters, which do no
 * harm because no undefined symbols have these names. */
static void read_text(struct image_search *search, struct bytes text)
{
    bool is_ignored = false;
    int depth = 0;
    for (uint64_t at = 0, size; at < text.size; at += size) {
        size = word_size(text, at);
        if (size && !depth)
            is_ignored = take_word(search, text.data + at, size, is_ignored);
        if (size)
            continue;
        uint8_t byte = text.data[at];
        depth += (byte == '{') - (byte == '}');
        is_ignored = (is_ignored || byte == '=') && byte != ';' && byte != '}';
        size = skip_comment(text, at) - at;
        size += !size;
    }
}

static bool unpack(struct image_search *search, const struct fatbin_entry *entry,
                   struct bytes *bytes)
{
    link_context *link = search->link;
    *bytes = entry->payload;
    if (!fatbin_entry_is_packed(entry))
        return true;
    if (!fatbin_unpacked_size_is_plausible(entry) ||
        entry->unpacked_size > MOST_UNPACKED - search->unpacked)
        return false;
    search->unpacked += entry->unpacked_size;
    uint8_t *data = ARENA_ARRAY(&link->arena, uint8_t, entry->unpacked_size);
    *bytes = (struct bytes){data, entry->unpacked_size};
    return fatbin_unpack(&link->input->unpacker, entry, data);
}

/* Reads all images of a unit. This includes the chosen image, which defines no undefined symbol. */
static void read_other_image(struct image_search *search)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    struct bytes bytes;
    fatbin_open(&fatbin, search->unit->contents);
    while (fatbin_next_entry(&fatbin, &entry)) {
        if (entry.kind != FATBIN_ELF && entry.kind != FATBIN_PTX)
            continue;
        search->target = input_target_of_entry(search->link, &entry);
        if (!unpack(search, &entry, &bytes))
            continue;
        if (entry.kind == FATBIN_ELF)
            read_image(search, bytes);
        else
            read_text(search, bytes);
    }
}

void other_images_search(link_context *link, struct other_definition *by_number)
{
    struct image_search search = {.link = link, .by_number = by_number};
    for (size_t i = 0; i < link->units_count; i++) {
        search.unit = link->units[i];
        if (search.unit->kind == UNIT_FATBIN && !search.unit->skipped)
            read_other_image(&search);
    }
}
