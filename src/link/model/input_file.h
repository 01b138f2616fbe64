/* The files and buffers that were added to a link, and the device code found in them.
 *
 *      input_file   app.o ----------> input_unit   the fat binary in app.o
 *      input_file   libx.a ---------> input_unit   libx.a:f.o    --> input_object
 *                             \-----> input_unit   libx.a:g.o
 *      input_file   kernel.cubin ---> input_unit   the cubin itself
 *
 * The image that the link chooses from a unit becomes an input_object, see input_object.h. */
#ifndef WARPLD_LINK_MODEL_INPUT_FILE_H
#define WARPLD_LINK_MODEL_INPUT_FILE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/host_object.h"
#include "format/elf_view.h"

struct shared_image;
struct shared_input;
struct shared_unit;

/* The lists of files: inputs, libraries that the search for -l found, files that it passed over
 * (and shared libraries that were read for notes), and files that thin archives name.
 * warpld_get_read_file numbers the files in this order. */
enum file_list { LIST_INPUTS, LIST_LIBRARIES, LIST_PASSED_OVER, LIST_MEMBERS, FILE_LISTS };

/* The two parts of the message about code that no link can use: `description` says what is wrong
 * with the code, and `remedy` what the user can do. */
struct unusable_code {
    const char *description;
    const char *remedy;
};

/* The effects of opening a file, besides the units that it adds. */
struct opened_file {
    /* True if opening the file had no other effects: it reported no message, read no other file,
     * and added nothing to the link but units and the values of the fields below. */
    bool is_silent;
    /* Some host object in the file does not list the kernels that it refers to. */
    bool has_silent_host_object;
    uint32_t host_object_count; /* host objects in the file, with or without device code */
    uint32_t hosts_before;      /* number of host objects in the files before this one */
};

/* A file or a buffer. */
struct input_file {
    const char *name;
    struct mapped_file mapping;
    /* The contents. The link may release the bytes of a valid cubin if it needs only the view; see
     * elf_view_settle. */
    struct bytes bytes;
    uint64_t size;
    bool is_loaded;       /* the link has tried to read it: `bytes` or `missing` is set */
    bool is_in_memory;    /* it is the caller's buffer; files that it names are not read */
    bool is_without_code; /* it contains no device code that can be linked */
    const struct unusable_code *unusable; /* why its device code cannot be linked; NULL: it can */
    uint8_t list;                         /* enum file_list */
    uint32_t list_index; /* index in that list; set once the caller queries files */
    /* The view, if the file is a valid cubin and already opened; or NULL. */
    const struct elf_view *view;
    const struct input_file *archive; /* the thin archive that names this file; or NULL */
    /* For a member of a thin archive: the earlier entry that holds the bytes, if the link had
     * already read the same file. Otherwise NULL. */
    struct input_file *read_before;
    const char *missing; /* why the file could not be read; or NULL */
    /* If this is a copy of an input that a warpld_library holds: that input. Otherwise NULL. */
    const struct shared_input *shared;
    uint32_t first_unit; /* index in the link's units; the units of a file are adjacent there */
    uint32_t units_count;
    struct opened_file opened;
    struct bytes snapshot; /* from an earlier link, see prepared_snapshot.h; or no bytes */
    bool is_looked_for;    /* the link has already asked the caller for a snapshot */
};

/* A shared library that the search for -l finds. Because of it, the link ignores the static library
 * with the same name. */
struct hidden_library {
    const char *name;    /* the argument of -l */
    const char *archive; /* path of the static library; NULL: there is none */
    const char *shared;
};

/* What a unit contains. Code that cannot be linked makes a UNIT_BROKEN. It is not reported when it
 * is found, but when its turn comes among the inputs, because an earlier input can end the link. */
enum unit_kind { UNIT_CUBIN, UNIT_FATBIN, UNIT_PTX, UNIT_LTO_IR, UNIT_BROKEN };

/* The device code of one object: a cubin, PTX text, LTO-IR, or a fat binary. The link uses one
 * image of a fat binary. An archive or a host object contains several units, one, or none. */
struct input_unit {
    const char *name; /* as in messages: a file, or "libx.a:member.o" */
    struct bytes contents;
    const struct input_file *file; /* the file that contains the unit */
    enum unit_kind kind;
    const struct host_object *host; /* the host object that contains the code; or NULL */
    const struct elf_view *view;    /* the view of a cubin that is already opened; or NULL */
    /* If this is a copy of a unit that a warpld_library holds: that unit. Otherwise NULL. */
    struct shared_unit *shared;
    /* The image to use, if a snapshot or an earlier step of the link has it; or NULL. */
    const struct shared_image *prepared;
    enum diagnostic_name problem; /* for a broken unit: the message that reports it */
    const char *reason;
    /* Number of host objects among the inputs up to this unit, including the unit's own. */
    uint32_t hosts_before;
    bool is_member;     /* it is an archive member */
    bool is_of_library; /* it is in a file that -l found */
    bool is_runtime;    /* the device runtime, which is linked only if it is used */
    bool skipped;       /* it is not linked: see skip_units.c */
    bool lacks_target;  /* it has no image for the target */
    bool is_chosen;     /* the fat binary's machine code is used, without a report */
    bool is_executable; /* a linked cubin, which contributes nothing */
};

#endif
