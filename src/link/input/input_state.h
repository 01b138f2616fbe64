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

/* A file that the link knows, by whichever path it was opened. The key of this entry, which `name`
 * contains, is the struct file_identity of the file. */
struct known_file {
    struct name name;
    /* The input_file that represents the file in thin archives. All archives that name the file
     * share it. NULL if no archive names the file. */
    struct input_file *member;
    const struct input_file *named_by; /* the thin archive that named the file last */
    /* If the file is an archive: the first input_file of this archive in the lists of read_files.c.
     * NULL if there is none. */
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
    const char *options;     /* compiler options that the fat binary records, or NULL */
};

/* The source files of optimised functions; see link/notes/code_origin.h. All fields are zero until
 * the source files are collected. */
struct code_origins {
    bool is_collected;
    struct name_table functions; /* its entries are struct optimised_function */
    const char **inputs;         /* indexed by file number: "lto.cubin:a.cu", or NULL */
};

struct input_state {
    struct unified_index unified_index;              /* the parsed options.unified_index */
    GROWING_ARRAY(struct input_file *, files);       /* files and buffers that were added */
    size_t files_read;                               /* number of `files` read so far */
    GROWING_ARRAY(struct input_file *, libraries);   /* files that -l found; linked last */
    GROWING_ARRAY(struct input_file *, passed_over); /* incompatible files that -l found */
    GROWING_ARRAY(struct input_file *, opened);      /* members of thin archives */
    uint64_t repeated_size; /* bytes of files that a thin archive named twice, see open_archive.c */
    uint64_t name_size;     /* bytes that the names of members take in memory */
    struct name_table known_files;       /* its entries are struct known_file */
    size_t files_numbered[FILE_LISTS];   /* number of files of each list whose list_index is set */
    struct name_table missing_libraries; /* arguments of -l for which no file was found */
    GROWING_ARRAY(struct hidden_library, hidden_libraries);
    GROWING_ARRAY(struct skipped_library, skipped_libraries); /* reasons for files in passed_over */
    GROWING_ARRAY(struct warpld_library *, shared_libraries); /* the link has a reference to each */
    struct arena *worker_arenas; /* memory of the threads that open inputs, see worker_arenas.h */
    size_t worker_arenas_count;
    struct memory_budget workers_budget; /* memory that all worker arenas together may take */
    struct fatbin_unpacker unpacker;     /* unpacker for the thread that runs the link */
    bool keeps_bytes;                    /* keep bytes of inputs, because the caller needs them */
    GROWING_ARRAY(struct input_object *, images); /* images that were chosen from the units */
    GROWING_ARRAY(struct intermediate, intermediates);
    struct input_object *optimised; /* object made from `intermediates`; empty until made */
    size_t optimised_position;      /* number of objects before `optimised` */
    struct bytes optimised_ptx;  /* the PTX of `optimised`, followed by a NUL that its size does not
                                    count; or none */
    struct code_origins origins; /* source files of the functions of `optimised` */
    const struct input_unit *first_plain; /* first unit whose image is not LTO-IR */
    /* The result of the optimiser; NULL except while it is copied. */
    struct warpld_optimise_result *unreleased_code;
    struct name_table linked_before; /* ids of objects in earlier device links, see skip_units.c */
    uint64_t linked_before_uses;     /* number of these ids in the inputs, counting repetitions */
    GROWING_ARRAY(struct warpld_linked_object, linked);
    uint32_t host_object_count;  /* number of host objects, with or without device code */
    bool has_silent_host_object; /* some host object does not list the kernels that it refers to */
    bool has_broken_input;       /* the last unit is a broken one; no further inputs are opened */
    bool opens_libraries;        /* the files of -l, the last inputs, are being opened */
    bool has_member_for_others;  /* a member without an image for the target was reported */
    bool has_unusable_code;      /* some input contains device code that this link cannot use */
    const char *last_unusable_archive; /* archive in the last report about unusable code, or NULL */
    const struct unusable_code *last_unusable; /* the reason in the last report */
    const struct elf_view *examined;           /* view of the cubin examined last, or NULL */
    struct held_messages held;                 /* messages that wait for the compilation of PTX */
    /* Results of the PTX compiler; NULL except while they are copied. */
    struct warpld_compile_result *unreleased;
    size_t unreleased_count;
};

/* Returns the entry of the file in known_files. Creates the entry if there is none. */
struct known_file *link_known_file(link_context *link, const struct file_identity *identity);

/* Describes the file with this index for warpld_get_read_file. Returns false if the index is out of
 * range. */
bool describe_file(link_context *link, size_t index, struct warpld_read_file *file);

#endif
