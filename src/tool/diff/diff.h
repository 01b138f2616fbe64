/* Compares two device ELFs. */
#ifndef WARPLD_TOOL_DIFF_DIFF_H
#define WARPLD_TOOL_DIFF_DIFF_H

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "tool/command/command.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

enum { SIDE_A, SIDE_B, SIDE_COUNT };

#define NO_PARTNER UINT32_MAX

/* A difference. Members that do not apply are NULL. If `a` is NULL, the entry is only in B. */
struct difference {
    const char *section; /* label, or "ELF header", "program headers", "file" */
    const char *entry;
    const char *field;
    const char *a;
    const char *b;
};

struct diff {
    struct subject sides[SIDE_COUNT];
    struct arena arena;             /* of the differences */
    uint32_t *partners[SIDE_COUNT]; /* for each section: index of its partner, or NO_PARTNER */
    bool strict;
    bool same_indices; /* an index means the same section, symbol or string in both files */
    size_t limit;
    size_t count; /* number of all differences; only the first `limit` are kept */
    GROWING_ARRAY(struct difference, found);
};

/* Whether the next difference will be kept, so that its texts are needed. */
static inline bool diff_keeps(const struct diff *diff)
{
    return diff->count < diff->limit;
}

/* Counts a difference, and keeps it unless the limit is reached. The texts are copied. */
void diff_add(struct diff *diff, const char *section, const char *entry, const char *field,
              const char *a, const char *b);

/* diff_match_sections finds the partner of each section: the section of the other file that it is
 * compared with. It also labels the sections of both files. diff_label_symbols labels the symbols.
 * Partners get equal labels; all other labels differ. */
void diff_match_sections(struct diff *diff);
void diff_label_symbols(struct diff *diff);

/* Whether the order of rows counts. With ROWS_AS_SET, neither the order counts nor how often a row
 * occurs. */
enum row_order { ROWS_ORDERED, ROWS_UNORDERED, ROWS_AS_SET };

/* Reports the rows that only one listing has. If both have a row with the same identity
 * (row.identity), the two rows are compared field by field instead. */
void diff_rows(struct diff *diff, const char *section, const struct listing *a,
               const struct listing *b, enum row_order order);

/* Reports the first difference between two spans of bytes and how many bytes differ. */
void diff_bytes(struct diff *diff, const char *section, const char *what, struct bytes a,
                struct bytes b);

/* Compares headers, sections and contents. */
void diff_contents(struct diff *diff);

/* Compares the file offsets, and the bytes outside sections, for a strict comparison that has found
 * no other difference. */
void diff_layout(struct diff *diff);

/* Whether the files are equal byte for byte outside the first tool note. */
bool diff_same_files(const struct diff *diff);

/* The section of tool notes, or NULL. */
const struct elf_section *tool_note_section(const struct elf_view *view);
/* The note of the tool that wrote the file: the first note of the section. */
struct bytes own_tool_note(const struct elf_view *view);

/* Finds all differences of the contents. If a strict comparison finds none, compares the layout,
 * too. */
void diff_run(struct diff *diff);

/* Prints what changed in functions and variables, and whether anything else differs. Returns the
 * exit status. */
int diff_by_meaning(struct diff *diff, const struct tool_options *options);

int command_diff(const struct tool_options *options);

void print_diff_json(const struct diff *diff);

#endif
