/* Notes of device ELFs: .note.nv.tkinfo (which tools made the file, one note for each) and
 * .note.nv.cuinfo (what the file was compiled for).
 *
 * A note is three words (length of the name with its NUL, length of the content, type), the name
 * and the content, both padded to four bytes. Layout and contents as ptxas and nvlink 13.0.88 write
 * them. */
#ifndef WARPLD_FORMAT_NOTE_H
#define WARPLD_FORMAT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#define NOTE_VENDOR "NVIDIA Corp"

struct note {
    struct bytes name; /* with its NUL, where it has one */
    struct bytes content;
    uint32_t type; /* NT_* */
};

/* Takes the next note off the front of the bytes; false at the end, or when the note is cut off
 * (then something is left of the bytes). */
bool note_next(struct bytes *rest, struct note *note);

/* True for the notes of CUDA tools; types mean something else under other names. */
bool note_is_vendors(const struct note *note);

enum { NOTE_CUINFO_VERSION = 2, NOTE_TKINFO_VERSION = 2 };

struct note_cuinfo {
    uint16_t version;    /* of the note; NOTE_CUINFO_VERSION since CUDA 12 */
    uint16_t virtual_sm; /* 80 for a source with .target sm_80 */
    uint16_t toolkit;    /* 130 for CUDA 13.0 */
};

/* False when the content is too short. */
bool note_read_cuinfo(const struct note *note, struct note_cuinfo *cuinfo);

/* One tool's note. The strings are NUL-terminated, never NULL, and point into the note. */
struct note_tkinfo {
    const char *object_name; /* empty unless the tool ran with -g */
    const char *tool_name;   /* "ptxas" */
    const char *tool_version;
    const char *tool_build;
    const char *command_line;
};

/* False when the content is no tool note of version 2 whose five strings lie in it. */
bool note_read_tkinfo(const struct note *note, struct note_tkinfo *tkinfo);

/* The first word of any tool note: its version, or before version 2 the toolkit, 129 for 12.9. 0
 * when it has none. */
uint16_t note_tkinfo_version(const struct note *note);

/* Sizes in bytes of the whole notes as written below; always multiples of four. */
uint32_t note_cuinfo_size(void);
uint32_t note_tkinfo_size(const struct note_tkinfo *tkinfo);

/* Write a whole note to `place`, which has room for the size given above. */
void note_write_cuinfo(uint8_t *place, const struct note_cuinfo *cuinfo);
void note_write_tkinfo(uint8_t *place, const struct note_tkinfo *tkinfo);

#endif
