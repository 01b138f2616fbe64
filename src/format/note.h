/* Notes of device ELFs. The section .note.nv.tkinfo has a note for each tool that made the file.
 * The section .note.nv.cuinfo has a note about the target of the file.
 *
 * A note begins with three words: length of the name including its NUL, length of the content,
 * type. The name and the content follow, each padded to a multiple of four bytes. Layout and
 * contents are those that ptxas and nvlink 13.0.88 write. */
#ifndef WARPLD_FORMAT_NOTE_H
#define WARPLD_FORMAT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#define NOTE_VENDOR "NVIDIA Corp"

struct note {
    struct bytes name; /* includes the NUL if the name ends with one */
    struct bytes content;
    uint32_t type; /* NT_* */
};

/* Reads the next note and advances *rest. Returns false if *rest is empty or if the note is cut
 * off. A cut-off note leaves *rest unchanged. */
bool note_next(struct bytes *rest, struct note *note);

/* Returns true if the note has the name NOTE_VENDOR. Only in such notes, the type numbers have the
 * meanings NT_CUINFO and NT_TKINFO. */
bool note_is_vendors(const struct note *note);

enum { NOTE_CUINFO_VERSION = 2, NOTE_TKINFO_VERSION = 2 };

struct note_cuinfo {
    uint16_t version;    /* version of the note: NOTE_CUINFO_VERSION since CUDA 12 */
    uint16_t virtual_sm; /* SM number of the PTX: 80 for .target sm_80 */
    uint16_t toolkit;    /* 130 for CUDA 13.0 */
};

/* Reads a cuinfo note. Returns false if its content is too short. */
bool note_read_cuinfo(const struct note *note, struct note_cuinfo *cuinfo);

/* A tool note. The strings are NUL-terminated and never NULL. note_read_tkinfo does not copy them:
 * they point to bytes of the note. */
struct note_tkinfo {
    const char *object_name; /* empty unless the tool ran with -g */
    const char *tool_name;   /* "ptxas" */
    const char *tool_version;
    const char *tool_build;
    const char *command_line;
};

/* Reads a tool note. Returns false if its version is not 2, or if its content lacks a string. */
bool note_read_tkinfo(const struct note *note, struct note_tkinfo *tkinfo);

/* Returns the first word of a tool note; 0 if the note is too short, and 65,535 for larger numbers.
 * In notes of version 2 and later, this word is the version of the note. In older notes it is the
 * version of the toolkit, such as 129 for CUDA 12.9. */
uint16_t note_tkinfo_version(const struct note *note);

/* Return the sizes in bytes of the notes that note_write_cuinfo and note_write_tkinfo write. The
 * sizes are multiples of four. */
uint32_t note_cuinfo_size(void);
uint32_t note_tkinfo_size(const struct note_tkinfo *tkinfo);

/* Write a whole note to `out`. Require: `out` has the size that note_cuinfo_size or
 * note_tkinfo_size returns. */
void note_write_cuinfo(uint8_t *out, const struct note_cuinfo *cuinfo);
void note_write_tkinfo(uint8_t *out, const struct note_tkinfo *tkinfo);

#endif
