/* cubintool dump; see dump.h. */
#include "tool/dump.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/terminal_text.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "tool/command/command.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"

static bool is_wanted(const struct tool_options *options, const struct elf_section *section)
{
    if (!options->section_count)
        return section->type != SHT_NULL;
    for (size_t i = 0; i < options->section_count; i++)
        if (!strcmp(options->sections[i], section->name))
            return true;
    return false;
}

/* Whether every name of --section is the name of a section. */
static bool check_names(const struct subject *subject, const struct tool_options *options)
{
    bool all_found = true;
    for (size_t i = 0; i < options->section_count; i++) {
        bool found = false;
        for (uint32_t s = 0; s < subject->view.section_count && !found; s++)
            found = !strcmp(options->sections[i], subject->view.sections[s].name);
        if (!found)
            tool_error("%s: no section is named %s", subject->path, options->sections[i]);
        all_found &= found;
    }
    return all_found;
}

/* The contents of a section: decoded entries, the strings of a string table, and other bytes. Each
 * part may be empty. */
struct contents {
    struct arena arena;
    struct listing entries;
    struct listing strings;
    struct listing bytes; /* shows `rest` */
    struct bytes rest;    /* bytes that are not decoded (undecoded_bytes); empty without --raw */
};

static void read_contents(const struct subject *subject, const struct elf_section *section,
                          const struct tool_options *options, struct contents *contents)
{
    struct arena *arena = &contents->arena;
    tool_arena_init(arena);
    listing_init(&contents->entries, arena, LAYOUT_TABLE);
    listing_init(&contents->strings, arena, LAYOUT_LINES);
    listing_init(&contents->bytes, arena, LAYOUT_LINES);
    contents->rest = (struct bytes){0};
    decode_section(subject, section, DETAIL_ALL, &contents->entries);
    if (!options->raw)
        return;
    if (section->type == SHT_STRTAB)
        decode_strings(section, &contents->strings);
    contents->rest = undecoded_bytes(section);
    decode_bytes(contents->rest, &contents->bytes);
}

/* ---------------------------------------------------------------------------------------------- */
/* Text                                                                                           */

static void list_sections(const struct subject *subject, const struct tool_options *options,
                          struct listing *listing)
{
    listing->layout = LAYOUT_TABLE;
    for (uint32_t i = 0; i < subject->view.section_count; i++)
        if (is_wanted(options, &subject->view.sections[i]))
            decode_section_header(subject, &subject->view.sections[i], DETAIL_ALL, listing);
}

static void print_part(const char *heading, const struct listing *listing)
{
    printf("\n%s\n", heading);
    print_listing(listing, 2);
}

static void print_headers(const struct subject *subject)
{
    struct arena arena;
    tool_arena_init(&arena);
    struct listing header, segments;
    listing_init(&header, &arena, LAYOUT_PROPERTIES);
    decode_header(subject, DETAIL_ALL, &header);
    print_part("ELF header", &header);
    listing_init(&segments, &arena, LAYOUT_TABLE);
    decode_segments(subject, DETAIL_ALL, &segments);
    if (segments.rows_count)
        print_part("Program headers", &segments);
    arena_destroy(&arena);
}

static void print_contents(const struct subject *subject, const struct elf_section *section,
                           const struct tool_options *options)
{
    struct contents contents;
    read_contents(subject, section, options, &contents);
    if (contents.entries.rows_count || contents.strings.rows_count || contents.bytes.rows_count) {
        printf("\nSection %" PRIu32 ", %s\n", section->index,
               terminal_text_show(&contents.arena, section_label(subject, section->index)));
        print_listing(&contents.entries, 2);
        print_listing(&contents.strings, 2);
        print_listing(&contents.bytes, 2);
    }
    arena_destroy(&contents.arena);
}

static void dump_text(const struct subject *subject, const struct tool_options *options)
{
    struct arena arena;
    tool_arena_init(&arena);
    printf("File %s\n", terminal_text_show(&arena, subject->path));
    if (!options->section_count)
        print_headers(subject);
    struct listing sections;
    listing_init(&sections, &arena, LAYOUT_TABLE);
    list_sections(subject, options, &sections);
    print_part("Sections", &sections);
    arena_destroy(&arena);
    for (uint32_t i = 0; i < subject->view.section_count; i++)
        if (is_wanted(options, &subject->view.sections[i]))
            print_contents(subject, &subject->view.sections[i], options);
}

/* ---------------------------------------------------------------------------------------------- */
/* JSON                                                                                           */

static json_t *json_strings(const struct listing *listing)
{
    json_t *array = json_array();
    for (size_t i = 0; i < listing->rows_count; i++)
        json_array_append_new(array, json_text(row_facts(listing, &listing->rows[i])->value.text));
    return array;
}

static json_t *json_section(const struct subject *subject, const struct elf_section *section,
                            const struct tool_options *options)
{
    struct contents contents;
    read_contents(subject, section, options, &contents);
    struct listing header;
    listing_init(&header, &contents.arena, LAYOUT_TABLE);
    decode_section_header(subject, section, DETAIL_ALL, &header);
    json_t *object = json_row(&header, &header.rows[0]);
    if (contents.entries.rows_count)
        json_object_set_new(object, "entries", json_listing(&contents.entries));
    if (contents.strings.rows_count)
        json_object_set_new(object, "strings", json_strings(&contents.strings));
    if (contents.rest.size) {
        struct fact fact = {.kind = FACT_BYTES, .count = (uint32_t)contents.rest.size};
        fact.value.data = contents.rest.data;
        json_object_set_new(object, "bytes", json_text(fact_text(&contents.arena, &fact)));
    }
    arena_destroy(&contents.arena);
    return object;
}

static json_t *json_file(const struct subject *subject, const struct tool_options *options)
{
    struct arena arena;
    tool_arena_init(&arena);
    json_t *file = json_object();
    json_object_set_new(file, "file", json_text(subject->path));
    if (!options->section_count) {
        struct listing header, segments;
        listing_init(&header, &arena, LAYOUT_PROPERTIES);
        decode_header(subject, DETAIL_ALL, &header);
        json_object_set_new(file, "header", json_row(&header, &header.rows[0]));
        listing_init(&segments, &arena, LAYOUT_TABLE);
        decode_segments(subject, DETAIL_ALL, &segments);
        json_object_set_new(file, "program_headers", json_listing(&segments));
    }
    json_t *sections = json_array();
    for (uint32_t i = 0; i < subject->view.section_count; i++)
        if (is_wanted(options, &subject->view.sections[i]))
            json_array_append_new(sections,
                                  json_section(subject, &subject->view.sections[i], options));
    json_object_set_new(file, "sections", sections);
    arena_destroy(&arena);
    return file;
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

static int dump_image(struct subjects *subjects, const struct image *image,
                      const struct tool_options *options, bool first, json_t *files)
{
    struct subject subject;
    int status = TOOL_EXIT_UNUSABLE;
    if (subjects_open_image(subjects, image, &subject, NULL, NULL) == SUBJECT_OPEN &&
        subject_label(&subject, tool_shows_readable_names(options),
                      options->section_count ? LABELS_OF_TABLES : LABELS_OF_ENTRIES)) {
        status = check_names(&subject, options) ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
        if (options->json) {
            json_array_append_new(files, json_file(&subject, options));
        } else {
            if (!first)
                putchar('\n');
            dump_text(&subject, options);
        }
    }
    subject_close(&subject);
    return status;
}

int command_dump(const struct tool_options *options)
{
    int status = TOOL_EXIT_OK;
    json_t *files = options->json ? json_array() : NULL;
    bool first = true;
    for (size_t i = 0; i < options->file_count; i++) {
        struct subjects subjects;
        subjects_open(&subjects, options->files[i], options);
        const struct image *image;
        while ((image = subjects_next(&subjects))) {
            if (dump_image(&subjects, image, options, first, files) != TOOL_EXIT_OK)
                status = TOOL_EXIT_UNUSABLE;
            first = false;
        }
        if (subjects.is_unusable)
            status = TOOL_EXIT_UNUSABLE;
        subjects_close(&subjects);
    }
    if (options->json)
        print_json(files);
    return status;
}
