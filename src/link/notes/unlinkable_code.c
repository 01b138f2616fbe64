/* Finds definitions in inputs whose device code cannot be linked; see unlinkable_code.h.
 * pass_undefined calls these functions when a link fails.
 *
 * For each __device__ function, nvcc also writes a host function of the same name, and for each
 * device variable a host variable. Without -rdc=true, often only the host function remains, because
 * ptxas 13.0.88 inlines the device function and drops it. So the search reads the names in the host
 * code, too, and not only those in the device code. The names in LTO-IR cannot be read at all. */
#include "link/notes/unlinkable_code.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/container/host_symbols.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/image/choose_images.h"
#include "link/input/input_state.h"
#include "link/input/input_targets.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"
#include "link/notes/shown_name.h"

/* Limits of the search in one link: the number of shared libraries found by -l that are read, and
 * the number of bytes of images that are unpacked. */
enum { MOST_LIBRARIES = 20 };
static const uint64_t MOST_UNPACKED = UINT64_C(64) << 20;

struct code_search {
    link_context *link;
    struct unlinkable_definition *by_number;
    const char *file;
    struct bytes member; /* name of the archive member; empty if `file` is no archive */
    const char *input;   /* name of the searched input in notes; NULL until it is needed */
    const char *targets; /* targets of the LTO-IR if the kind is CODE_IN_LTO_IR; otherwise NULL */
    enum unlinkable_kind kind;
    uint64_t unpacked; /* number of bytes unpacked so far */
};

static const char *input_name(struct code_search *search)
{
    if (!search->input)
        search->input = !search->member.size ? search->file
                                             : arena_format(&search->link->arena, "%s:%.*s",
                                                            search->file, (int)search->member.size,
                                                            (const char *)search->member.data);
    return search->input;
}

static void match_name(void *context, const char *text)
{
    struct code_search *search = context;
    const struct linked_name *name = link_find_name(search->link, text);
    const struct symbol *symbol = name ? name_uses(search->link, name)->symbol : NULL;
    uint32_t number = symbol ? symbol_rare(symbol)->undefined_number : 0;
    if (!number)
        return;
    struct unlinkable_definition *definition = &search->by_number[number - 1];
    if (!definition->input || definition->kind < search->kind)
        *definition =
            (struct unlinkable_definition){input_name(search), search->targets, search->kind};
}

static void read_linked_image(struct code_search *search, struct bytes file)
{
    struct elf_view elf;
    if (elf_identify(file) != ELF_KIND_DEVICE ||
        !elf_view_open(&elf, file, &search->link->arena, elf_stop_at_damage, NULL))
        return;
    for (uint32_t i = 1; i < elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(&elf, VIEW_NATIVE, i);
        if (symbol.section != SHN_UNDEF && symbol.type != STT_SECTION)
            match_name(search, symbol.name);
    }
}

static void read_linked_code(struct code_search *search, struct bytes code)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    fatbin_open(&fatbin, code);
    if (fatbin.problem)
        return;
    do {
        while (fatbin_next_entry(&fatbin, &entry)) {
            struct bytes image = entry.payload;
            if (entry.kind != FATBIN_ELF)
                continue;
            if (fatbin_entry_is_packed(&entry)) {
                if (!fatbin_unpacked_size_is_plausible(&entry) ||
                    entry.unpacked_size > MOST_UNPACKED - search->unpacked)
                    continue;
                search->unpacked += entry.unpacked_size;
                uint8_t *data = ARENA_ARRAY(&search->link->arena, uint8_t, entry.unpacked_size);
                image = (struct bytes){data, entry.unpacked_size};
                if (!fatbin_unpack(&search->link->input->unpacker, &entry, data))
                    continue;
            }
            read_linked_image(search, image);
        }
    } while (fatbin_next_container(&fatbin));
}

/* If the object has only LTO-IR, and none of it is for this link's target, returns the targets of
 * the LTO-IR, such as "lto_80, lto_90". Otherwise returns NULL. */
static const char *targets_of_lto_ir(link_context *link, struct bytes code)
{
    struct input_targets targets = {.count = 0};
    struct previewed_choice choice;
    struct fatbin fatbin;
    struct fatbin_entry entry;
    if (!code.size || preview_choice(link, code, &choice) || choice.has_lto_ir)
        return NULL;
    fatbin_open(&fatbin, code);
    do {
        while (fatbin_next_entry(&fatbin, &entry))
            if (entry.kind != FATBIN_LTO_IR)
                return NULL;
    } while (fatbin_next_container(&fatbin));
    input_targets_add(link, &targets, code);
    return input_targets_text(link, &targets);
}

static enum unlinkable_kind kind_of_host_file(const struct code_search *search,
                                              const struct host_object *host)
{
    if (!host->is_relocatable)
        return CODE_OF_SHARED_LIBRARY;
    if (host->linked_code.size)
        return CODE_WITHOUT_RDC;
    return search->targets ? CODE_IN_LTO_IR : CODE_OF_HOST;
}

static void read_host_file(struct code_search *search, struct bytes file)
{
    struct host_object host;
    if (!host_object_open(file, &host))
        return;
    search->input = NULL;
    search->targets = targets_of_lto_ir(search->link, host.relocatable_code);
    search->kind = kind_of_host_file(search, &host);
    if (!host.is_relocatable && !host.linked_code.size)
        return;
    host_symbols_read(file, match_name, search);
    if (!host.relocatable_code.size || !host.is_relocatable)
        read_linked_code(search, host.linked_code);
}

static void read_archive(struct code_search *search, struct bytes file)
{
    struct archive archive;
    struct archive_member member;
    archive_open(&archive, file);
    while (archive_next(&archive, &member)) {
        search->member = member.name;
        read_host_file(search, member.contents);
    }
    search->member = (struct bytes){NULL, 0};
}

static void read_file(struct code_search *search, const struct input_file *file)
{
    if (!file->bytes.size)
        return;
    search->file = file->name;
    if (archive_recognise(file->bytes))
        read_archive(search, file->bytes);
    else
        read_host_file(search, file->bytes);
}

/* Reads a shared library that -l finds. No pass has read it. The file is added to the list
 * passed_over, whose files are unmapped even if memory runs out. */
static void read_shared_library(struct code_search *search, const char *path)
{
    link_context *link = search->link;
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    file->name = path;
    *ARENA_APPEND(&link->arena, link->input, passed_over) = file;
    if (file_load(&file->mapping, path, NULL, link_file_access(link))) {
        link->input->passed_over_count--;
        return;
    }
    file->bytes = file->mapping.bytes;
    file->size = file->bytes.size;
    read_file(search, file);
}

void unlinkable_code_search(link_context *link, struct unlinkable_definition *by_number)
{
    struct code_search search = {.link = link, .by_number = by_number};
    const struct input_state *inputs = link->input;
    for (size_t i = 0; i < inputs->files_count; i++)
        read_file(&search, inputs->files[i]);
    for (size_t i = 0; i < inputs->libraries_count; i++)
        read_file(&search, inputs->libraries[i]);
    for (size_t i = 0; i < inputs->opened_count; i++)
        read_file(&search, inputs->opened[i]);
    for (size_t i = 0; i < inputs->hidden_libraries_count && i < MOST_LIBRARIES; i++)
        read_shared_library(&search, inputs->hidden_libraries[i].shared);
}

bool unlinkable_code_is_in(const struct input_file *file)
{
    struct host_object host;
    return host_object_open(file->bytes, &host) && host.is_relocatable && host.linked_code.size;
}

void unlinkable_code_report(link_context *link, const struct symbol *symbol,
                            const struct unlinkable_definition *definition)
{
    static const enum diagnostic_name MESSAGES[] = {
        [CODE_OF_HOST] = DIAGNOSTIC_DEFINED_FOR_HOST,
        [CODE_IN_LTO_IR] = DIAGNOSTIC_DEFINED_IN_LTO_IR,
        [CODE_OF_SHARED_LIBRARY] = DIAGNOSTIC_DEFINED_IN_SHARED,
        [CODE_WITHOUT_RDC] = DIAGNOSTIC_DEFINED_WITHOUT_RDC,
    };
    const char *name = symbol_name(symbol);
    char target[16];
    link_target_name(link, target);
    if (definition->input) /* only the message about LTO-IR has the last two arguments */
        diagnostic_report(&link->diagnostics, MESSAGES[definition->kind], definition->input, name,
                          shown_name(&link->arena, name), definition->input, definition->targets,
                          target);
}
