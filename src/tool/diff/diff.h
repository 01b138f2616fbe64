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

/* A difference. Its members are NULL if they do not apply. `a` and `b` are the values in the files
 * A and B; if one of them is NULL, only the other file has the entry. */
struct difference {
    const char *section; /* label of a section, or "ELF header", "program headers", "file" */
    const char *entry;
    const char *field;
    const char *a;
    const char *b;
};

struct diff {
    struct subject sides[SIDE_COUNT];
    struct arena arena;             /* holds the differences */
    uint32_t *partners[SIDE_COUNT]; /* for each section: index of its partner, or NO_PARTNER */
    bool strict;
    bool same_indices; /* each index of a section, symbol or string means the same in both files */
    size_t limit;
    size_t count; /* number of all differences; only the first `limit` are kept */
    GROWING_ARRAY(struct difference, found);
};

/* Whether diff_add will keep the next difference. If not, the caller need not make its texts. */
static inline bool diff_keeps(const struct diff *diff)
{
    return diff->count < diff->limit;
}

/* Counts a difference, and keeps it unless the limit is reached. The texts are copied. */
void diff_add(struct diff *diff, const char *section, const char *entry, const char *field,
              const char *a, const char *b);

/* diff_match_sections finds the partner of each section: the section of the other file with which
 * it is compared. The function also labels the sections of both files. diff_label_symbols labels
 * the symbols. Partners get equal labels; all other labels differ. */
void diff_match_sections(struct diff *diff);
void diff_label_symbols(struct diff *diff);

/* Whether diff_rows compares the order of rows. With ROWS_AS_SET, it compares neither their order
 * nor how often a row occurs. */
enum row_order { ROWS_ORDERED, ROWS_UNORDERED, ROWS_AS_SET };

/* Reports the rows that only one listing has. If both listings have a row with the same identity
 * (row.identity), the two rows are compared fact by fact. */
void diff_rows(struct diff *diff, const char *section, const struct listing *a,
               const struct listing *b, enum row_order order);

/* Reports how many bytes of `a` and `b` differ, and the first of them. */
void diff_bytes(struct diff *diff, const char *section, const char *what, struct bytes a,
                struct bytes b);

/* Compares headers, sections and contents. */
void diff_contents(struct diff *diff);

/* Compares the file offsets, and the bytes outside sections. A strict comparison does this if it
 * has found no other difference. */
void diff_layout(struct diff *diff);

/* Whether the files are equal byte for byte, except for the first tool note. */
bool diff_same_files(const struct diff *diff);

/* Returns the section of tool notes, or NULL. */
const struct elf_section *tool_note_section(const struct elf_view *view);
/* Returns the first tool note of a file, which names the tool that wrote the file. */
struct bytes own_tool_note(const struct elf_view *view);

/* Runs diff_contents. If a strict comparison finds no difference there, runs diff_layout, too. */
void diff_run(struct diff *diff);

/* Prints what changed in functions and variables, and whether anything else differs. Returns the
 * exit status. */
int diff_by_meaning(struct diff *diff, const struct tool_options *options);

int command_diff(const struct tool_options *options);

void print_diff_json(const struct diff *diff);

#endif
