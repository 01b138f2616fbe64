/* Notes of device ELFs: .note.nv.tkinfo (one note for each tool that wrote the file) and
 * .note.nv.cuinfo (the target of the file).
 *
 * A note consists of three words (length of the name with its NUL, length of the content, type),
 * the name and the content, both padded to four bytes. Layout and contents are those that ptxas and
 * nvlink 13.0.88 write. */
#ifndef WARPLD_FORMAT_NOTE_H
#define WARPLD_FORMAT_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"

#define NOTE_VENDOR "NVIDIA Corp"

struct note {
    struct bytes name; /* including its NUL if it has one */
    struct bytes content;
    uint32_t type; /* NT_* */
};

/* Reads the next note and advances *rest. Returns false at the end, or if the note is cut off (then
 * *rest is not empty). */
bool note_next(struct bytes *rest, struct note *note);

/* Returns true if the name of the note is that of NVIDIA's tools. In notes with other names the
 * type numbers have other meanings. */
bool note_is_vendors(const struct note *note);

enum { NOTE_CUINFO_VERSION = 2, NOTE_TKINFO_VERSION = 2 };

struct note_cuinfo {
    uint16_t version;    /* version of the note: NOTE_CUINFO_VERSION since CUDA 12 */
    uint16_t virtual_sm; /* 80 for a source with .target sm_80 */
    uint16_t toolkit;    /* 130 for CUDA 13.0 */
};

/* Returns false if the content is too short. */
bool note_read_cuinfo(const struct note *note, struct note_cuinfo *cuinfo);

/* The note of one tool. The strings are NUL-terminated, never NULL, and point into the note. */
struct note_tkinfo {
    const char *object_name; /* empty unless the tool ran with -g */
    const char *tool_name;   /* "ptxas" */
    const char *tool_version;
    const char *tool_build;
    const char *command_line;
};

/* Returns false if the content is not a tool note of version 2 that contains its five strings. */
bool note_read_tkinfo(const struct note *note, struct note_tkinfo *tkinfo);

/* The first word of a tool note of any version, or 0 if the note is too short. From version 2 on it
 * is the version of the note. In older notes it is the version of the toolkit, 129 for 12.9. */
uint16_t note_tkinfo_version(const struct note *note);

/* Sizes in bytes of whole notes as the functions below write them, always multiples of four. */
uint32_t note_cuinfo_size(void);
uint32_t note_tkinfo_size(const struct note_tkinfo *tkinfo);

/* Write a whole note to `out`, which has the size given above. */
void note_write_cuinfo(uint8_t *out, const struct note_cuinfo *cuinfo);
void note_write_tkinfo(uint8_t *out, const struct note_tkinfo *tkinfo);

#endif
