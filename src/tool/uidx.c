/* cubintool uidx; see uidx.h.
 *
 * A created index file assigns a slot to each unified function, in the order of the objects. It
 * assigns offsets to the variables as if the linker concatenated the data tables of the objects. So
 * each variable is aligned, and only padding between the tables is added. */
#include "tool/uidx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/terminal_text.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "format/unified_index.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"

static const char *const TABLE_NAMES[UNIFIED_TABLE_KINDS] = {"functions", "data"};

/* An entry of an index file, with the name of its symbol and the object that defines it. */
struct named_entry {
    struct unified_index_entry entry;
    const char *symbol;
    const char *file; /* path of the object */
};

struct table {
    GROWING_ARRAY(struct named_entry, entries);
    uint64_t size; /* size of the concatenated data tables; 0 for functions */
    uint64_t end;  /* end of the last entry, which is the size of the window */
};

/* The state of creating an index file: the tables of all objects that have been read. */
struct maker {
    struct arena *arena;
    struct table tables[UNIFIED_TABLE_KINDS];
    size_t objects;
};

/* ---------------------------------------------------------------------------------------------- */
/* Showing                                                                                        */

static void list_header(const struct unified_index *index, struct listing *listing)
{
    listing_init(listing, listing->arena, LAYOUT_PROPERTIES);
    listing_add_row(listing, 0);
    put_number(listing, "version", index->version);
    put_hex(listing, "function_window", index->window[UNIFIED_FUNCTIONS]);
    put_number(listing, "functions", index->count[UNIFIED_FUNCTIONS]);
    put_hex(listing, "data_window", index->window[UNIFIED_DATA]);
    put_number(listing, "data", index->count[UNIFIED_DATA]);
    if (index->extra.size)
        put_bytes(listing, "extra", index->extra);
}

static void put_entry(struct listing *listing, enum unified_table_kind kind,
                      const struct unified_index_entry *entry)
{
    listing_add_row(listing, 1);
    put_text(listing, "table", TABLE_NAMES[kind]);
    put_hex(listing, "offset", entry->offset);
    put_hex(listing, "id_low", entry->id.low);
    put_hex(listing, "id_high", entry->id.high);
}

static void list_entries(const struct unified_index *index, struct listing *listing)
{
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (uint64_t i = 0; i < index->count[kind]; i++) {
            struct unified_index_entry entry =
                unified_index_entry(index, (enum unified_table_kind)kind, i);
            put_entry(listing, (enum unified_table_kind)kind, &entry);
        }
}

static void list_made(const struct maker *maker, struct listing *listing)
{
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (size_t i = 0; i < maker->tables[kind].entries_count; i++) {
            const struct named_entry *named = &maker->tables[kind].entries[i];
            put_entry(listing, (enum unified_table_kind)kind, &named->entry);
            put_text(listing, "symbol", named->symbol);
            put_text(listing, "file", named->file);
        }
}

static void print_index(const char *path, const struct listing *header,
                        const struct listing *entries, json_t *files)
{
    if (files) {
        json_t *file = json_object();
        json_object_set_new(file, "file", path ? json_text(path) : json_null());
        json_object_set_new(file, "header", json_row(header, &header->rows[0]));
        json_object_set_new(file, "entries", json_listing(entries));
        json_array_append_new(files, file);
        return;
    }
    if (path)
        printf("File %s\n\n", terminal_text_show(header->arena, path));
    printf("Index file\n");
    print_listing(header, 2);
    if (entries->rows_count)
        printf("\nEntries\n");
    print_listing(entries, 2);
}

static int show(struct arena *arena, const char *path, struct bytes bytes, json_t *files)
{
    struct unified_index index;
    if (unified_index_open(&index, bytes) != UNIFIED_INDEX_SOUND) {
        tool_error("%s: not an index file, or its size differs from the one in its header", path);
        return TOOL_EXIT_UNUSABLE;
    }
    struct listing header = {.arena = arena}, entries;
    list_header(&index, &header);
    listing_init(&entries, arena, LAYOUT_TABLE);
    list_entries(&index, &entries);
    print_index(path, &header, &entries, files);
    return TOOL_EXIT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* Creating                                                                                       */

static void add_entry(struct maker *maker, enum unified_table_kind kind, uint64_t offset,
                      uint64_t size, const struct subject *subject, const uint8_t *record)
{
    struct table *table = &maker->tables[kind];
    const char *symbol = symbol_label(subject, VIEW_NATIVE, load_u32(record));
    uint64_t end = add_sizes(offset, size);
    table->end = end > table->end ? end : table->end;
    *ARENA_APPEND(maker->arena, table, entries) = (struct named_entry){
        .entry = {.id = {load_u64(record + 16), load_u64(record + 24)}, .offset = offset},
        .symbol = arena_copy_string(maker->arena, symbol, strlen(symbol)),
        .file = arena_copy_string(maker->arena, subject->path, strlen(subject->path)),
    };
}

static void add_functions(struct maker *maker, const struct subject *subject,
                          const struct elf_section *records)
{
    struct table *table = &maker->tables[UNIFIED_FUNCTIONS];
    for (uint32_t i = 0; i < records->entry_count; i++) {
        add_entry(maker, UNIFIED_FUNCTIONS, table->end, UNIFIED_SLOT_SIZE, subject,
                  records->data + (uint64_t)i * ELF_UNIFIED_ENTRY_SIZE);
    }
}

/* Adds the variables of an object. `base` is the offset of the object's data table in the
 * concatenated tables. The value of a variable's symbol is its offset in the data table of the
 * object. */
static void add_variables(struct maker *maker, const struct subject *subject,
                          const struct elf_section *records, uint64_t base)
{
    for (uint32_t i = 0; i < records->entry_count; i++) {
        const uint8_t *record = records->data + (uint64_t)i * ELF_UNIFIED_ENTRY_SIZE;
        struct elf_symbol variable = elf_view_symbol(&subject->view, VIEW_NATIVE, load_u32(record));
        add_entry(maker, UNIFIED_DATA, add_sizes(base, variable.value), variable.size, subject,
                  record);
    }
}

static uint64_t place_data(struct maker *maker, const struct subject *subject)
{
    struct table *table = &maker->tables[UNIFIED_DATA];
    uint64_t base = table->size;
    for (uint32_t i = 1; i < subject->view.section_count; i++) {
        const struct elf_section *section = &subject->view.sections[i];
        if (section->type != SHT_CUDA_UDT || section->view != VIEW_NATIVE)
            continue;
        base = align_up(table->size, elf_section_alignment(section));
        table->size = add_sizes(base, section->size);
    }
    return base;
}

static void add_object(struct maker *maker, const struct subject *subject)
{
    uint64_t base = place_data(maker, subject);
    maker->objects++;
    for (uint32_t i = 1; i < subject->view.section_count; i++) {
        const struct elf_section *section = &subject->view.sections[i];
        if (section->view != VIEW_NATIVE)
            continue;
        if (section->type == SHT_CUDA_UFT_ENTRY)
            add_functions(maker, subject, section);
        else if (section->type == SHT_CUDA_UDT_ENTRY)
            add_variables(maker, subject, section, base);
    }
}

static int by_id(const void *a, const void *b)
{
    const struct named_entry *first = *(struct named_entry *const *)a;
    const struct named_entry *second = *(struct named_entry *const *)b;
    return unified_id_compare(first->entry.id, second->entry.id);
}

/* Whether all entries of a table have different identifiers. Reports entries with the same
 * identifier. */
static bool are_distinct(const struct maker *maker, const struct table *table)
{
    size_t count = table->entries_count;
    struct named_entry **sorted = ARENA_ARRAY(maker->arena, struct named_entry *, count + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = &table->entries[i];
    qsort(sorted, count, sizeof *sorted, by_id);
    bool distinct = true;
    for (size_t i = 0; i + 1 < count; i++) {
        const struct named_entry *a = sorted[i], *b = sorted[i + 1];
        if (by_id(&sorted[i], &sorted[i + 1]))
            continue;
        tool_error("%s in %s and %s in %s have the same identifier <%016" PRIx64 ",%016" PRIx64 ">",
                   a->symbol, a->file, b->symbol, b->file, a->entry.id.low, a->entry.id.high);
        distinct = false;
    }
    return distinct;
}

static struct bytes made_bytes(const struct maker *maker, const struct unified_index *index)
{
    uint64_t size = unified_index_size(index);
    uint8_t *bytes = ARENA_ARRAY(maker->arena, uint8_t, size);
    unified_index_write_header(index, bytes);
    uint8_t *out = bytes + UNIFIED_INDEX_HEADER_SIZE;
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++)
        for (size_t i = 0; i < maker->tables[kind].entries_count; i++) {
            unified_index_write_entry(&maker->tables[kind].entries[i].entry, out);
            out += UNIFIED_INDEX_ENTRY_SIZE;
        }
    return (struct bytes){bytes, size};
}

static int write_file(const char *path, struct bytes bytes)
{
    int error = file_replace(path, bytes);
    if (!error)
        return TOOL_EXIT_OK;
    tool_error("%s: %s", path, strerror(error));
    return TOOL_EXIT_UNUSABLE;
}

static int finish_index(const struct maker *maker, const char *output, json_t *files)
{
    struct unified_index index = {.version = 1};
    for (int kind = 0; kind < UNIFIED_TABLE_KINDS; kind++) {
        if (!are_distinct(maker, &maker->tables[kind]))
            return TOOL_EXIT_UNUSABLE;
        index.window[kind] = maker->tables[kind].end;
        index.count[kind] = maker->tables[kind].entries_count;
    }
    if (output)
        return write_file(output, made_bytes(maker, &index));
    struct listing header = {.arena = maker->arena}, entries;
    list_header(&index, &header);
    listing_init(&entries, maker->arena, LAYOUT_TABLE);
    list_made(maker, &entries);
    print_index(NULL, &header, &entries, files);
    return TOOL_EXIT_OK;
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

/* Shows the index file with which an executable was linked. The executable contains it. */
static int show_linked(struct maker *maker, const struct subject *subject, json_t *files)
{
    for (uint32_t i = 1; i < subject->view.section_count; i++) {
        const struct elf_section *section = &subject->view.sections[i];
        if (section->type == SHT_CUDA_UNIFIED_INDEX && section->view == VIEW_NATIVE)
            return show(maker->arena, subject->path, section_bytes(section), files);
    }
    tool_error("%s: was linked without an index file", subject->path);
    return TOOL_EXIT_UNUSABLE;
}

static int read_image(struct maker *maker, struct subjects *subjects, const struct image *image,
                      json_t *files)
{
    struct subject subject;
    int status = TOOL_EXIT_UNUSABLE;
    if (subjects_open_image(subjects, image, &subject, NULL, NULL) == SUBJECT_OPEN &&
        subject_label(&subject, false, LABELS_OF_ENTRIES)) {
        status = TOOL_EXIT_OK;
        if (subject.view.type == ET_EXEC)
            status = show_linked(maker, &subject, files);
        else
            add_object(maker, &subject);
    }
    subject_close(&subject);
    return status;
}

/* Reads the cubins of a file. */
static int read_images(struct maker *maker, const char *path, const struct tool_options *options,
                       json_t *files)
{
    struct subjects subjects;
    subjects_open(&subjects, path, options);
    int status = subjects.is_unusable ? TOOL_EXIT_UNUSABLE : TOOL_EXIT_OK;
    const struct image *image;
    while ((image = subjects_next(&subjects)))
        if (read_image(maker, &subjects, image, files) != TOOL_EXIT_OK)
            status = TOOL_EXIT_UNUSABLE;
    subjects_close(&subjects);
    return status;
}

static int read_file(struct maker *maker, const char *path, const struct tool_options *options,
                     json_t *files)
{
    struct mapped_file file = {.mapping = NULL};
    bool is_index = !file_map(&file, path) && unified_index_identify(file.bytes);
    int status = is_index ? show(maker->arena, path, file.bytes, files)
                          : read_images(maker, path, options, files);
    file_unmap(&file);
    return status;
}

int command_uidx(const struct tool_options *options)
{
    struct arena arena;
    tool_arena_init(&arena);
    struct maker maker = {.arena = &arena};
    json_t *files = options->json ? json_array() : NULL;
    int status = TOOL_EXIT_OK;
    for (size_t i = 0; i < options->file_count; i++)
        if (read_file(&maker, options->files[i], options, files) != TOOL_EXIT_OK)
            status = TOOL_EXIT_UNUSABLE;
    if (options->output && !maker.objects && status == TOOL_EXIT_OK) {
        tool_error("no object to create an index file from");
        status = TOOL_EXIT_UNUSABLE;
    }
    if (maker.objects && status == TOOL_EXIT_OK)
        status = finish_index(&maker, options->output, files);
    if (files)
        print_json(files);
    arena_destroy(&arena);
    return status;
}
