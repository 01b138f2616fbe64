/* What was added to a link, and the device code found in it. */
#ifndef WARPLD_LINK_MODEL_INPUT_FILE_H
#define WARPLD_LINK_MODEL_INPUT_FILE_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/host_object.h"
#include "format/elf_view.h"

/* The lists of files, in the order in which warpld_get_read_file counts through them. */
enum file_list { LIST_INPUTS, LIST_LIBRARIES, LIST_PASSED_OVER, LIST_MEMBERS, FILE_LISTS };

/* A file or a buffer. */
struct input_file {
    const char *name;
    struct mapped_file mapping;
    struct bytes bytes; /* of a sound cubin they can be gone: see elf_view_settle */
    uint64_t size;
    bool is_loaded;                   /* the bytes were there, or why not */
    bool is_in_memory;                /* the caller's: it must not make the library read files */
    bool is_without_code;             /* nothing in it is device code that can be linked */
    const char *unusable;             /* why; NULL when it has none, for all one knows */
    uint8_t list;                     /* enum file_list, and */
    uint32_t place;                   /* its place there; known when somebody asks for files */
    const struct elf_view *view;      /* of a sound cubin, when it was opened already; or NULL */
    const struct input_file *archive; /* the thin archive that names this file; NULL */
    struct input_file *read_before; /* the member that is the same file, and has its bytes; NULL */
    const char *missing;            /* why it could not be read; NULL */
};

/* An archive that a shared library stands before. */
struct hidden_library {
    const char *name; /* behind -l */
    const char *archive;
    const char *shared;
};

/* A broken one is reported when its turn comes: an input before it may end the link. */
enum unit_kind { UNIT_CUBIN, UNIT_FATBIN, UNIT_PTX, UNIT_BROKEN };

/* What holds one object's device code: a cubin, PTX text, or a fat binary of which one image is
 * linked. Archives and host objects give several or none. */
struct input_unit {
    const char *name; /* what messages call it: a file, or "libx.a:member.o" */
    struct bytes contents;
    enum unit_kind kind;
    const struct host_object *host; /* that carries the code; NULL */
    const struct elf_view *view;    /* of a cubin that was opened already; NULL */
    enum diagnostic_name problem;   /* of a broken unit */
    const char *reason;
    uint32_t hosts_before; /* host objects among the inputs so far, with this one's */
    bool is_member;        /* of an archive */
    bool is_of_library;    /* that -l names */
    bool is_runtime;       /* the device runtime, which is linked only when it is used */
    bool skipped;          /* linked before, or the unused runtime */
    bool is_for_others;    /* has no image for the target */
    bool is_executable;    /* a linked cubin, which adds nothing */
};

#endif
