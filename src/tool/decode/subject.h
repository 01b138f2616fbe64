/* A device ELF that a command works on: the opened view, and names for everything that the file
 * refers to by index. */
#ifndef WARPLD_TOOL_DECODE_SUBJECT_H
#define WARPLD_TOOL_DECODE_SUBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "format/elf_view.h"
#include "format/section_type.h"

/* The labels of sections and symbols, indexed as in the file. Rows show labels instead of indices.
 * Labels are unique: if several sections, or several symbols of one table, have the same name,
 * their labels have a suffix. */
struct labels {
    const char **sections;
    const char **symbols[VIEW_COUNT];
};

struct subject {
    const char *path; /* path of the file, followed by the image if the file has several */
    struct arena arena;
    struct elf_view view;
    struct labels labels;
};

enum subject_state {
    SUBJECT_OPEN,
    SUBJECT_UNUSABLE, /* unreadable, or not a supported device ELF */
    SUBJECT_BROKEN,   /* a device ELF that violates the format */
};

/* Opens a device ELF; its bytes and the path must live as long as the subject. Errors are reported
 * to stderr, except violations of the format if there is a handler: the handler gets these. The
 * caller must close the subject even after an error. The process ends with a message if memory is
 * exhausted. */
enum subject_state subject_open(struct subject *subject, const char *path, struct bytes bytes,
                                elf_problem_handler *handler, void *context);
void subject_close(struct subject *subject);

/* Makes an arena that ends the process with a message if memory is exhausted. */
void tool_arena_init(struct arena *arena);

/* What a command shows: sections and symbols, or also the entries of relocations, attributes, call
 * graphs and so on. */
enum label_use { LABELS_OF_TABLES, LABELS_OF_ENTRIES };

/* Labels the sections and symbols for printing: "name", or "name[index]" if the name is not unique.
 * C++ names are demangled on request, unless that would make the output far larger than the file
 * (label_uses.h). If the output would be that large with mangled names, too, reports an error and
 * returns false. */
bool subject_label(struct subject *subject, bool demangle, enum label_use use);
/* Sets all labels to plain names, which need not be unique. A section symbol without a name has the
 * name of its section. */
void subject_label_plainly(struct subject *subject);

/* Returns the label of a section index from a symbol or header. The index can be a reserved index,
 * such as ELF_SECTION_ABSOLUTE, or out of range. */
const char *section_label(const struct subject *subject, uint32_t index);
/* Returns the label of a symbol. The index can be out of range. */
const char *symbol_label(const struct subject *subject, enum code_view which, uint32_t index);

/* A section's bytes; empty for sections without bytes in the file. */
static inline struct bytes section_bytes(const struct elf_section *section)
{
    return (struct bytes){section->data, section->data ? section->size : 0};
}

static inline uint64_t section_offset(const struct elf_view *view,
                                      const struct elf_section *section)
{
    return elf_view_section_header(view, section->index).offset;
}

/* Returns the file offset of a section's end. Sections without bytes take no space in the file,
 * with one exception: the Mercury copy of the reserved shared memory is written as zeros. */
static inline uint64_t section_file_end(const struct elf_view *view,
                                        const struct elf_section *section)
{
    bool reserved = section->type == SHT_CUDA_SHARED_RESERVED && section->view == VIEW_MERCURY;
    return section_offset(view, section) + (reserved ? section->size : section_bytes(section).size);
}

/* Returns the index of the section that owns `section`; 0: none. The code of a function owns the
 * sections with its attributes, relocations, constants and so on. */
uint32_t section_owner(const struct elf_view *view, const struct elf_section *section);

/* Whether sh_info of `section` is the index of a section. */
bool section_info_is_section(const struct elf_section *section);

#define TOOL_NOTE_SECTION ".note.nv.tkinfo"

#endif
