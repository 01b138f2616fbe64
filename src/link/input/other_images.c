/* Images of fat binaries that were not chosen; see other_images.h. Part of undefined, for links
 * that fail. Damage in such an image is not reported. */
#include "link/input/other_images.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "format/container/fatbin.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"

/* Limit of unpacked bytes in one link: libraries for many targets are large. */
static const uint64_t MOST_UNPACKED = UINT64_C(256) << 20;

enum { LONGEST_TARGETS = 200 };

struct image_search {
    link_context *link;
    struct other_definition *by_number;
    const struct input_unit *unit;
    const char *target; /* of the image */
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
        !elf_view_open(&elf, file, &link->arena, elf_ignore_problem, NULL))
        return;
    for (uint32_t i = 1; i < elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&elf, VIEW_NATIVE, i);
        if (!defines_name(&symbol))
            continue;
        const struct linked_name *name = link_find_name(link, symbol.name);
        const struct symbol *named = name ? name_uses(link, name)->symbol : NULL;
        uint32_t number = named ? symbol_rare(named)->undefined_number : 0;
        if (number)
            add_target(search, &search->by_number[number - 1]);
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

static const char *target_name(link_context *link, const struct fatbin_entry *entry)
{
    const char *suffix = entry->flags & FATBIN_ACCELERATED ? "a"
                         : entry->flags & FATBIN_FAMILY    ? "f"
                                                           : "";
    return arena_format(&link->arena, "sm_%u%s", entry->sm, suffix);
}

/* Reads all images; the chosen one does not define these names. */
static void read_other_image(struct image_search *search)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    struct bytes bytes;
    fatbin_open(&fatbin, search->unit->contents);
    while (fatbin_next_entry(&fatbin, &entry)) {
        search->target = target_name(search->link, &entry);
        if (entry.kind == FATBIN_ELF && unpack(search, &entry, &bytes))
            read_image(search, bytes);
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
