/* cubintool list; see list.h. */
#include "tool/list.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/terminal_text.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "format/section_type.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"
#include "tool/print/arrange.h"
#include "tool/print/print.h"

/* The facts about a cubin that its row shows. */
struct contents {
    bool is_linked;
    bool has_debug; /* has .debug_info: full debug information, as with -g */
    bool has_lines; /* has .debug_line */
    uint64_t kernels;
    uint64_t functions; /* number of functions other than kernels */
    uint16_t toolkit;   /* 130 for CUDA 13.0; 0: not known */
};

static bool is_native_code(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS && section->view == VIEW_NATIVE &&
           elf_section_is_code(section);
}

static void count_function(struct contents *contents, const struct elf_view *view,
                           const struct elf_section *section)
{
    struct elf_symbol symbol =
        elf_view_symbol(view, VIEW_NATIVE, section->info & ELF_CODE_SYMBOL_MASK);
    if (symbol.other & STO_CUDA_ENTRY)
        contents->kernels++;
    else
        contents->functions++;
}

static void read_toolkit(struct contents *contents, const struct elf_section *section)
{
    struct bytes rest = section_bytes(section);
    struct note note;
    struct note_cuinfo cuinfo;
    while (note_next(&rest, &note))
        if (note_is_vendors(&note) && note.type == NT_CUINFO && note_read_cuinfo(&note, &cuinfo))
            contents->toolkit = cuinfo.toolkit;
}

static void note_debug(struct contents *contents, const char *section)
{
    contents->has_debug |= !strcmp(section, ".debug_info");
    contents->has_lines |= !strcmp(section, ".debug_line");
}

static void read_contents(struct contents *contents, const struct elf_view *view)
{
    contents->is_linked = view->type == ET_EXEC;
    if (elf_view_abi(view) == ABIVERSION_CUDA_12)
        contents->toolkit = (uint16_t)view->version;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (is_native_code(section))
            count_function(contents, view, section);
        else if (section->kind == INPUT_DEBUG)
            note_debug(contents, section->name);
        else if (section->type == SHT_NOTE)
            read_toolkit(contents, section);
    }
}

/* Reads the facts about a cubin. The unpacked cubin is freed at once, because a file can hold
 * thousands of cubins. */
static bool open_contents(struct contents *contents, const struct image *image)
{
    struct arena arena;
    struct bytes bytes;
    struct elf_view view;
    tool_arena_init(&arena);
    bool is_open = image_bytes(image, &arena, &bytes) && elf_identify(bytes) == ELF_KIND_DEVICE &&
                   elf_view_open(&view, bytes, &arena, elf_stop_at_damage, NULL);
    if (is_open)
        read_contents(contents, &view);
    arena_destroy(&arena);
    return is_open;
}

/* --------------------------------------------------------------------------------------------- */
/* Rows                                                                                          */

static void put_optional(struct listing *listing, const char *key, const char *text)
{
    if (text && *text)
        put_text(listing, key, text);
    else
        put_absent(listing, key);
}

static const char *yes_or_no(bool is_so)
{
    return is_so ? "yes" : "no";
}

static void put_toolkit(struct listing *listing, const struct image *image, uint16_t toolkit)
{
    if (toolkit)
        put_text(listing, "toolkit",
                 arena_format(listing->arena, "%u.%u", toolkit / 10U, toolkit % 10U));
    else if (*image->ptx_version)
        put_text(listing, "toolkit", arena_format(listing->arena, "PTX %s", image->ptx_version));
    else
        put_absent(listing, "toolkit");
}

static void put_contents(struct listing *listing, const struct image *image)
{
    struct contents contents = {.toolkit = 0};
    bool is_known = image->kind == IMAGE_CUBIN && open_contents(&contents, image);
    if (is_known) {
        put_number(listing, "kernels", contents.kernels);
        put_number(listing, "functions", contents.functions);
        put_text(listing, "linked", yes_or_no(contents.is_linked));
        put_text(listing, "debug",
                 contents.has_debug   ? "full"
                 : contents.has_lines ? "lines"
                                      : "no");
    } else {
        static const char *const KEYS[] = {"kernels", "functions", "linked", "debug"};
        for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS; i++)
            put_absent(listing, KEYS[i]);
    }
    put_toolkit(listing, image, contents.toolkit);
    put_text(listing, "damaged", yes_or_no(image->kind == IMAGE_CUBIN && !is_known));
}

static const char *packing(const struct image *image)
{
    if (!image->is_in_fatbin || !fatbin_entry_is_packed(&image->entry))
        return NULL;
    return image->entry.flags & FATBIN_LZ4 ? "lz4" : "zstd";
}

static const char *identifier(struct arena *arena, const struct image *image)
{
    struct bytes text = image->entry.identifier;
    return text.size ? arena_copy_string(arena, (const char *)text.data, (size_t)text.size) : NULL;
}

static void list_image(const struct image *image, struct listing *listing)
{
    const char *packed = packing(image);
    const struct fatbin_entry *entry = &image->entry;
    listing_add_row(listing, 0);
    put_number(listing, "image", image->number);
    put_optional(listing, "member", image->member);
    put_optional(listing, "section", image->section);
    put_text(listing, "kind", image_kind_name(image->kind));
    put_optional(listing, "target", image->architecture);
    put_number(listing, "stored", entry->payload.size);
    put_optional(listing, "packed", packed);
    put_number(listing, "size", packed ? entry->unpacked_size : entry->payload.size);
    put_contents(listing, image);
    put_optional(listing, "source", identifier(listing->arena, image));
}

/* --------------------------------------------------------------------------------------------- */
/* The command                                                                                   */

static void print_images(const char *path, const struct listing *listing,
                         const struct tool_options *options, json_t *files, bool *has_headings)
{
    if (files) {
        json_t *file = json_made(json_object());
        json_object_set_new(file, "file", json_text(path));
        json_object_set_new(file, "images", json_listing(listing));
        json_array_append_new(files, file);
    } else if (options->csv) {
        print_csv(listing, "file", path, has_headings);
    } else {
        printf("File %s\n", terminal_text_show(listing->arena, path));
        print_listing(listing, 2);
    }
}

static int list_file(const char *path, const struct tool_options *options, json_t *files,
                     bool *has_headings)
{
    static const char *const NAMES[] = {"member", "source", "kind", "target"};
    struct arena arena;
    struct image_file file;
    struct listing listing;
    const struct image_choice choice = {options->architecture, options->member, options->image};
    tool_arena_init(&arena);
    listing_init(&listing, &arena, LAYOUT_TABLE);
    bool is_open = image_file_open(&file, path, &arena);
    for (size_t i = 0; i < file.images_count; i++)
        if (image_is_chosen(&choice, &file.images[i]))
            list_image(&file.images[i], &listing);
    if (is_open)
        image_report_problems(&file);
    bool has_images = listing.rows_count;
    bool is_arranged = listing_arrange(&listing, options, NAMES, sizeof NAMES / sizeof *NAMES);
    if (is_arranged && has_images)
        print_images(file.path, &listing, options, files, has_headings);
    else if (is_open && !has_images)
        image_report_none(&file, &choice, "image");
    bool is_usable = is_arranged && has_images && !file.problems_count;
    image_file_close(&file);
    arena_destroy(&arena);
    return is_usable ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}

int command_list(const struct tool_options *options)
{
    int status = TOOL_EXIT_OK;
    bool has_headings = false;
    json_t *files = options->json ? json_made(json_array()) : NULL;
    for (size_t i = 0; i < options->file_count; i++) {
        if (i && !files && !options->csv)
            putchar('\n');
        if (list_file(options->files[i], options, files, &has_headings) != TOOL_EXIT_OK)
            status = TOOL_EXIT_UNUSABLE;
    }
    if (files)
        print_json(files);
    return status;
}
