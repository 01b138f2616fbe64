/* cubintool diff; see diff.h. */
#include "tool/diff/diff.h"

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
#include "tool/images/subjects.h"

static bool is_tool_note(const struct elf_section *section)
{
    return !strcmp(section->name, TOOL_NOTE_SECTION);
}

static enum detail diff_detail(const struct diff *diff)
{
    return diff->strict ? DETAIL_EXACT : DETAIL_MEANING;
}

static const char *label_of(const struct diff *diff, int which, uint32_t index)
{
    return section_label(&diff->sides[which], index);
}

/* ---------------------------------------------------------------------------------------------- */
/* Headers                                                                                        */

typedef void decode_function(const struct subject *subject, enum detail detail,
                             struct listing *listing);

static void diff_decoded(struct diff *diff, const char *what, decode_function *decode,
                         enum row_order order)
{
    struct arena scratch;
    tool_arena_init(&scratch);
    struct listing rows[SIDE_COUNT];
    for (int i = 0; i < SIDE_COUNT; i++) {
        listing_init(&rows[i], &scratch, LAYOUT_TABLE);
        decode(&diff->sides[i], diff_detail(diff), &rows[i]);
    }
    diff_rows(diff, what, &rows[SIDE_A], &rows[SIDE_B], order);
    arena_destroy(&scratch);
}

static void diff_section_headers(struct diff *diff, const struct elf_section *a,
                                 const struct elf_section *b)
{
    struct arena scratch;
    tool_arena_init(&scratch);
    struct listing rows[SIDE_COUNT];
    const struct elf_section *sections[SIDE_COUNT] = {a, b};
    for (int i = 0; i < SIDE_COUNT; i++) {
        listing_init(&rows[i], &scratch, LAYOUT_TABLE);
        decode_section_header(&diff->sides[i], sections[i], diff_detail(diff), &rows[i]);
        rows[i].rows[0].identity = 0;
    }
    diff_rows(diff, label_of(diff, SIDE_A, a->index), &rows[SIDE_A], &rows[SIDE_B], ROWS_ORDERED);
    arena_destroy(&scratch);
}

/* ---------------------------------------------------------------------------------------------- */
/* Contents                                                                                       */

static void decode_any(const struct subject *subject, const struct elf_section *section,
                       enum detail detail, struct listing *listing)
{
    if (section->type == SHT_STRTAB)
        decode_strings(section, listing);
    else
        decode_section(subject, section, detail, listing);
}

static void diff_entries(struct diff *diff, const struct elf_section *a,
                         const struct elf_section *b, enum row_order order)
{
    struct arena scratch;
    tool_arena_init(&scratch);
    struct listing rows[SIDE_COUNT];
    const struct elf_section *sections[SIDE_COUNT] = {a, b};
    for (int i = 0; i < SIDE_COUNT; i++) {
        listing_init(&rows[i], &scratch, LAYOUT_TABLE);
        decode_any(&diff->sides[i], sections[i], DETAIL_MEANING, &rows[i]);
    }
    diff_rows(diff, label_of(diff, SIDE_A, a->index), &rows[SIDE_A], &rows[SIDE_B], order);
    arena_destroy(&scratch);
}

static bool same_bytes(const struct elf_section *a, const struct elf_section *b)
{
    struct bytes x = section_bytes(a), y = section_bytes(b);
    return x.size == y.size && (!x.size || !memcmp(x.data, y.data, x.size));
}

/* Returns the tool notes that a file copied from its inputs: all but the first. The first tool note
 * names the tool that wrote the file, so it always differs and is not compared. */
static struct bytes tool_notes_of_inputs(const struct elf_view *view,
                                         const struct elf_section *section)
{
    struct bytes own = own_tool_note(view);
    struct bytes all = section_bytes(section);
    if (own.data != all.data)
        return all;
    return (struct bytes){all.data + own.size, all.size - own.size};
}

static void diff_contents_strictly(struct diff *diff, const struct elf_section *a,
                                   const struct elf_section *b)
{
    const char *label = label_of(diff, SIDE_A, a->index);
    if (is_tool_note(a) && is_tool_note(b)) {
        diff_bytes(diff, label, "notes of the inputs",
                   tool_notes_of_inputs(&diff->sides[SIDE_A].view, a),
                   tool_notes_of_inputs(&diff->sides[SIDE_B].view, b));
        return;
    }
    if (same_bytes(a, b))
        return;
    diff_bytes(diff, label, "bytes", section_bytes(a), section_bytes(b));
    if (a->type == b->type)
        diff_entries(diff, a, b, ROWS_ORDERED);
}

static void diff_contents_by_meaning(struct diff *diff, const struct elf_section *a,
                                     const struct elf_section *b)
{
    if (is_tool_note(a) || a->type != b->type || a->type == SHT_SYMTAB_SHNDX)
        return;
    if (diff->same_indices && same_bytes(a, b))
        return;
    diff_entries(diff, a, b, a->type == SHT_STRTAB ? ROWS_AS_SET : ROWS_UNORDERED);
    diff_bytes(diff, label_of(diff, SIDE_A, a->index), "bytes", undecoded_bytes(a),
               undecoded_bytes(b));
}

/* ---------------------------------------------------------------------------------------------- */
/* Sections                                                                                       */

static void report_lone_sections(struct diff *diff, int which)
{
    const struct elf_view *view = &diff->sides[which].view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (diff->partners[which][i] != NO_PARTNER)
            continue;
        const char *type = section_type_name(section->type);
        const char *text = arena_format(&diff->arena, "%s, %" PRIu64 " bytes",
                                        type ? type : "unknown type", section->size);
        diff_add(diff, label_of(diff, which, i), "section", NULL, which == SIDE_A ? text : NULL,
                 which == SIDE_B ? text : NULL);
    }
}

/* Reports the first section that has different positions in the two files. Only sections that both
 * files have are counted. */
static void diff_section_order(struct diff *diff)
{
    const struct elf_view *a = &diff->sides[SIDE_A].view, *b = &diff->sides[SIDE_B].view;
    uint32_t j = 1;
    for (uint32_t i = 1; i < a->section_count; i++) {
        uint32_t partner = diff->partners[SIDE_A][i];
        if (partner == NO_PARTNER)
            continue;
        while (j < b->section_count && diff->partners[SIDE_B][j] == NO_PARTNER)
            j++;
        if (partner != j) {
            diff_add(diff, "section order",
                     arena_format(&diff->arena, "from section %" PRIu32 " on", i), "section",
                     label_of(diff, SIDE_A, i), label_of(diff, SIDE_B, j));
            return;
        }
        j++;
    }
}

void diff_contents(struct diff *diff)
{
    const struct elf_view *a = &diff->sides[SIDE_A].view, *b = &diff->sides[SIDE_B].view;
    diff_decoded(diff, "ELF header", decode_header, ROWS_ORDERED);
    diff_decoded(diff, "program headers", decode_segments,
                 diff->strict ? ROWS_ORDERED : ROWS_UNORDERED);
    for (int which = 0; which < SIDE_COUNT; which++)
        report_lone_sections(diff, which);
    if (diff->strict)
        diff_section_order(diff);
    for (uint32_t i = 0; i < a->section_count; i++) {
        uint32_t partner = diff->partners[SIDE_A][i];
        if (partner == NO_PARTNER)
            continue;
        const struct elf_section *x = &a->sections[i], *y = &b->sections[partner];
        diff_section_headers(diff, x, y);
        if (diff->strict)
            diff_contents_strictly(diff, x, y);
        else
            diff_contents_by_meaning(diff, x, y);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

void diff_run(struct diff *diff)
{
    if (diff_same_files(diff))
        return;
    diff_match_sections(diff);
    diff_label_symbols(diff);
    diff_contents(diff);
    if (diff->strict && !diff->count)
        diff_layout(diff);
}

static const char *difference_text(struct arena *arena, const struct difference *difference)
{
    const char *a = difference->a, *b = difference->b;
    const char *entry = difference->entry ? difference->entry : "";
    if (a && b)
        return arena_format(arena, "%s: %s%s%s: A %s, B %s", difference->section, entry,
                            *entry ? ": " : "", difference->field, a, b);
    return arena_format(arena, "%s: %s%sonly in %s: %s", difference->section, entry,
                        *entry ? " " : "", a ? "A" : "B", a ? a : b);
}

static void print_differences(struct diff *diff)
{
    struct arena *arena = &diff->arena;
    for (size_t i = 0; i < diff->found_count; i++)
        puts(terminal_text_show(arena, difference_text(arena, &diff->found[i])));
    if (diff->count > diff->found_count)
        printf("%zu more differences\n", diff->count - diff->found_count);
}

static bool diffs_bytes(const struct tool_options *options)
{
    return options->bytes || options->strict;
}

static bool check_options(const struct tool_options *options)
{
    bool is_good = !diffs_bytes(options) || (!options->csv && !options->fail_if);
    if (!is_good)
        tool_error("--csv and --fail-if are about functions and variables, not for --bytes or "
                   "--strict");
    return is_good;
}

/* Compares with --bytes or --strict, and prints the differences. Returns the exit status. The
 * labels of subject_label are not used; it only refuses files whose names would make the output too
 * long. */
static int run_on_bytes(struct diff *diff, const struct tool_options *options)
{
    for (int i = 0; i < SIDE_COUNT; i++)
        if (!subject_label(&diff->sides[i], false, LABELS_OF_ENTRIES))
            return TOOL_EXIT_UNUSABLE;
    diff_run(diff);
    if (options->json)
        print_diff_json(diff);
    else
        print_differences(diff);
    return diff->count ? TOOL_EXIT_FOUND : TOOL_EXIT_OK;
}

int command_diff(const struct tool_options *options)
{
    struct diff diff = {.strict = options->strict, .limit = options->limit};
    if (!check_options(options))
        return TOOL_EXIT_UNUSABLE;
    tool_arena_init(&diff.arena);
    bool usable = true;
    int status = TOOL_EXIT_UNUSABLE;
    struct subjects files[SIDE_COUNT];
    for (int i = 0; i < SIDE_COUNT; i++) {
        subjects_open(&files[i], options->files[i], options);
        usable &= subjects_open_single(&files[i], &diff.sides[i]) == SUBJECT_OPEN;
    }
    if (usable)
        status =
            diffs_bytes(options) ? run_on_bytes(&diff, options) : diff_by_meaning(&diff, options);
    for (int i = 0; i < SIDE_COUNT; i++) {
        subject_close(&diff.sides[i]);
        subjects_close(&files[i]);
    }
    arena_destroy(&diff.arena);
    return status;
}
