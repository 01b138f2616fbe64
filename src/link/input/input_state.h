/* What the input stage keeps: the files that were added, what libraries and archives lead to, and
 * the device code chosen from them. */
#ifndef WARPLD_LINK_INPUT_INPUT_STATE_H
#define WARPLD_LINK_INPUT_INPUT_STATE_H

#include "base/arena.h"
#include "base/file.h"
#include "base/name_table.h"
#include "format/unified_index.h"
#include "link/input/held_messages.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "warpld.h"

struct input_object;

/* A file, whatever its paths; its name here is a struct file_identity. */
struct known_file {
    struct name name;
    struct input_file *member;             /* what thin archives share; NULL: none names it */
    const struct input_file *first_listed; /* of an archive, see read_files.c */
    bool is_opened_archive;
};

struct input_state {
    struct unified_index unified_index;              /* of options.unified_index */
    GROWING_ARRAY(struct input_file *, files);       /* all that were added */
    size_t files_read;                               /* so many of `files` */
    GROWING_ARRAY(struct input_file *, libraries);   /* found by -l: they come last */
    GROWING_ARRAY(struct input_file *, passed_over); /* libraries of -l for another host */
    GROWING_ARRAY(struct input_file *, opened);      /* members of thin archives */
    struct name_table known_files;                   /* of struct known_file */
    size_t files_numbered[FILE_LISTS];               /* see read_files.c */
    struct name_table missing_libraries;             /* of -l */
    GROWING_ARRAY(struct hidden_library, hidden_libraries);
    struct arena *reader_arenas; /* what threads have made of the inputs */
    size_t reader_arenas_count;
    bool keeps_bytes;                             /* of the inputs: somebody asks for them */
    GROWING_ARRAY(struct input_object *, images); /* what was chosen of each */
    struct name_table linked_before;              /* module ids of objects linked before */
    GROWING_ARRAY(struct warpld_linked_object, linked);
    uint32_t host_object_count;               /* among the inputs, with and without device code */
    bool has_silent_host_object;              /* some does not say which kernels it refers to */
    bool has_broken_input;                    /* the last unit */
    bool opens_libraries;                     /* of -l, which come last */
    bool has_member_for_others;               /* of an archive, and it was reported */
    bool has_unusable_code;                   /* some input is of a kind that may have lost some */
    const char *last_unusable_archive;        /* whose member was reported last; NULL */
    const char *last_unusable;                /* and why */
    struct held_messages held;                /* while the inputs are taken */
    struct warpld_compile_result *unreleased; /* NULL but while they are copied */
    size_t unreleased_count;
};

/* What is known of the file, made when it is new. */
struct known_file *link_known_file(link_context *link, const struct file_identity *identity);

/* The file of that number among all that the link read; false when there are not so many. */
bool describe_file(link_context *link, size_t index, struct warpld_read_file *file);

#endif
