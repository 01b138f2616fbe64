/* The state of the input stage: the files that were added or found in libraries and thin archives,
 * and the device code chosen from them. */
#ifndef WARPLD_LINK_INPUT_INPUT_STATE_H
#define WARPLD_LINK_INPUT_INPUT_STATE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/name_table.h"
#include "format/container/fatbin.h"
#include "format/elf_view.h"
#include "format/unified_index.h"
#include "link/input/held_messages.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

/* A file that the link knows, whatever path it was opened by. `name`, the key in the table, holds
 * its struct file_identity. */
struct known_file {
    struct name name;
    /* The file as a member of thin archives. All archives that name the file share it. NULL if no
     * archive names it. */
    struct input_file *member;
    /* For an archive: its first input_file in the lists of read_files.c; or NULL. */
    const struct input_file *first_listed;
    bool is_opened_archive;
};

/* An archive of -l that cannot be linked, and the reason. */
struct skipped_library {
    const char *name; /* argument of -l */
    const char *archive;
    const char *reason;
};

/* LTO-IR chosen from a unit. */
struct intermediate {
    struct input_unit *unit; /* a container of a fat binary, or LTO-IR */
    unsigned version, minor; /* version of the LTO-IR format */
    const char *options;     /* options of its compiler, from the fat binary; or NULL */
};

/* The source files of optimised functions; see link/notes/code_origin.h. All zero: not collected.
 */
struct code_origins {
    bool is_collected;
    struct name_table functions; /* of struct optimised_function */
    const char **inputs;         /* by number of the source file: "lto.cubin:a.cu"; or NULL */
};

struct input_state {
    struct unified_index unified_index;              /* parsed options.unified_index */
    GROWING_ARRAY(struct input_file *, files);       /* files and buffers that were added */
    size_t files_read;                               /* number of `files` read so far */
    GROWING_ARRAY(struct input_file *, libraries);   /* found by -l; linked last */
    GROWING_ARRAY(struct input_file *, passed_over); /* found for -l, but incompatible */
    GROWING_ARRAY(struct input_file *, opened);      /* members of thin archives */
    struct name_table known_files;                   /* of struct known_file */
    size_t files_numbered[FILE_LISTS];   /* by list: how many files have their list_index */
    struct name_table missing_libraries; /* arguments of -l without a file */
    GROWING_ARRAY(struct hidden_library, hidden_libraries);
    GROWING_ARRAY(struct skipped_library, skipped_libraries); /* those passed over, with reasons */
    GROWING_ARRAY(struct warpld_library *, shared_libraries); /* each holds a reference */
    struct arena *worker_arenas; /* memory of the threads that open inputs, see worker_arenas.h */
    size_t worker_arenas_count;
    struct memory_budget workers_budget; /* of all worker arenas */
    struct fatbin_unpacker unpacker;     /* of the calling thread */
    bool keeps_bytes;                    /* keep the bytes of inputs: the caller queries them */
    GROWING_ARRAY(struct input_object *, images); /* chosen from the units */
    GROWING_ARRAY(struct intermediate, intermediates);
    struct input_object *optimised;       /* made from the intermediates; has no bytes until then */
    size_t optimised_position;            /* number of objects before `optimised` */
    struct bytes optimised_ptx;           /* the PTX of `optimised`, with a NUL after it; or none */
    struct code_origins origins;          /* of the functions of `optimised` */
    const struct input_unit *first_plain; /* first unit whose image is not LTO-IR */
    /* The result of the optimiser; NULL except while it is copied. */
    struct warpld_optimise_result *unreleased_code;
    struct name_table linked_before; /* ids of objects in earlier device links, see skip_units.c */
    uint64_t linked_before_uses;     /* number of such ids in the inputs, with repetitions */
    GROWING_ARRAY(struct warpld_linked_object, linked);
    uint32_t host_object_count;  /* in the inputs, with or without device code */
    bool has_silent_host_object; /* some host object does not list the kernels that it refers to */
    bool has_broken_input;       /* the last unit is broken */
    bool opens_libraries;        /* the inputs of -l, which come last, are being opened */
    bool has_member_for_others;  /* an archive member without an image was reported */
    bool has_unusable_code;      /* some input holds device code that this link cannot use */
    const char *last_unusable_archive; /* the archive of the last report about such code; or NULL */
    const struct unusable_code *last_unusable; /* the reason in that report */
    const struct elf_view *examined;           /* the cubin examined last, if it breaks no rule */
    struct held_messages held;                 /* messages that wait while inputs are read */
    /* Results of the PTX compiler; NULL except while they are copied. */
    struct warpld_compile_result *unreleased;
    size_t unreleased_count;
};

/* The entry of the file, created if there is none. */
struct known_file *link_known_file(link_context *link, const struct file_identity *identity);

/* Describes the file at that index among all files that the link read. Returns false if index is
 * out of range. */
bool describe_file(link_context *link, size_t index, struct warpld_read_file *file);

#endif
