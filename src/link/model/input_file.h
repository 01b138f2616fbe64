/* The files and buffers that were added to a link, and the device code found in them.
 *
 *      input_file   app.o ----------> input_unit   the fat binary in app.o
 *      input_file   libx.a ---------> input_unit   libx.a:f.o    --> input_object
 *                             \-----> input_unit   libx.a:g.o
 *      input_file   kernel.cubin ---> input_unit   the cubin itself
 *
 * The chosen image of each linked unit becomes an input_object, see input_object.h. */
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

/* The lists of files, in the order in which warpld_get_read_file numbers their entries. */
enum file_list { LIST_INPUTS, LIST_LIBRARIES, LIST_PASSED_OVER, LIST_MEMBERS, FILE_LISTS };

/* Why no link can use a kind of device code, and what the user can do: both complete a message. */
struct unusable_code {
    const char *description;
    const char *remedy;
};

/* What opening a file did besides adding units. */
struct opened_file {
    bool is_silent; /* opening it reported nothing, read no other file, and added nothing to the
                       link but units and what the fields below hold */
    bool has_silent_host_object; /* this and the next as in struct input_state, but for this file */
    uint32_t host_object_count;
    uint32_t hosts_before; /* number of host objects in earlier files */
};

/* A file or a buffer. */
struct input_file {
    const char *name;
    struct mapped_file mapping;
    struct bytes bytes; /* of a valid cubin they may have been released: see elf_view_settle */
    uint64_t size;
    bool is_loaded;       /* reading was attempted: bytes or missing is set */
    bool is_in_memory;    /* a buffer of the caller, so files that it names must not be read */
    bool is_without_code; /* it contains no device code that can be linked */
    const struct unusable_code *unusable; /* if its device code cannot be linked; or NULL */
    uint8_t list;                         /* enum file_list */
    uint32_t list_index;                  /* in that list; set when the caller asks for the files */
    const struct elf_view *view;          /* of a valid cubin that was opened already; or NULL */
    const struct input_file *archive;     /* the thin archive that names this file; or NULL */
    struct input_file
        *read_before;    /* an archive member that is the same file and holds its bytes; or NULL */
    const char *missing; /* why it could not be read; or NULL */
    const struct shared_input
        *shared;         /* the input of a warpld_library that this is a copy of; or NULL */
    uint32_t first_unit; /* among those of the link; they are adjacent */
    uint32_t units_count;
    struct opened_file opened;
    struct bytes snapshot; /* of an earlier link, see prepared_snapshot.h; or no bytes */
    bool is_looked_for;    /* the caller was asked for the snapshot */
};

/* A shared library that the search finds; a static library of that name is ignored. */
struct hidden_library {
    const char *name;    /* the argument of -l */
    const char *archive; /* the static library; NULL: there is none */
    const char *shared;
};

/* A broken unit is reported in the order of the inputs: an earlier input may end the link. */
enum unit_kind { UNIT_CUBIN, UNIT_FATBIN, UNIT_PTX, UNIT_LTO_IR, UNIT_BROKEN };

/* The device code of one object: a cubin, PTX text, LTO-IR, or a fat binary of which one image is
 * linked.
 * An archive or a host object contains several units or none. */
struct input_unit {
    const char *name; /* as in messages: a file, or "libx.a:member.o" */
    struct bytes contents;
    const struct input_file *file; /* among whose units it is */
    enum unit_kind kind;
    const struct host_object *host; /* the host object that contains the code; or NULL */
    const struct elf_view *view;    /* of a cubin that was opened already; or NULL */
    struct shared_unit *shared; /* the unit of a warpld_library that this is a copy of; or NULL */
    const struct shared_image *prepared; /* the image that the link takes; NULL: not yet known */
    enum diagnostic_name problem;        /* of a broken unit */
    const char *reason;
    uint32_t
        hosts_before;   /* number of host objects among the inputs up to and including this one */
    bool is_member;     /* it is an archive member */
    bool is_of_library; /* -l found it */
    bool is_runtime;    /* the device runtime, which is linked only if it is used */
    bool skipped;       /* it was linked before, or is the unused runtime */
    bool lacks_target;  /* it has no image for the target */
    bool is_chosen;     /* code of a fat binary was taken, and the choice reported nothing */
    bool is_executable; /* a linked cubin, which contributes nothing */
};

#endif
