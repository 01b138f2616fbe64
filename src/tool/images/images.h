/* The device code in a file of any kind: cubins, fat binaries, host objects and programs, archives
 * (also nested ones), PTX, LTO-IR.
 *
 *      libx.a --> member a.o --> section __nv_relfatbin --> container --> entry: image
 *
 * Each piece of code is an image. Images are numbered from 1 in the order of the file, whatever
 * their kind, so that a number names the same image in every command. */
#ifndef WARPLD_TOOL_IMAGES_IMAGES_H
#define WARPLD_TOOL_IMAGES_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "format/container/fatbin.h"

enum image_kind { IMAGE_CUBIN, IMAGE_PTX, IMAGE_LTO_IR, IMAGE_UNKNOWN };

struct image {
    uint32_t number;      /* from 1 */
    enum image_kind kind; /* in a fat binary, the kind that the entry gives */
    const char *member;   /* "b.o", in nested archives "inner.a:b.o"; NULL outside archives */
    const char *section;  /* of a host object: the section of the image; NULL for other files */
    struct fatbin_entry entry; /* for images outside fat binaries, only the payload is set */
    bool is_in_fatbin;
    char ptx_version[8];   /* version of a PTX text, such as "9.0"; "" for other images */
    char architecture[16]; /* "sm_90a", "compute_90"; "" if the file does not say */
};

/* A part of the file that could not be read. */
struct image_problem {
    const char *member;
    const char *text;
};

struct image_file {
    const char *path;
    struct arena *arena;
    struct mapped_file file;
    GROWING_ARRAY(struct image, images);
    GROWING_ARRAY(struct image_problem, problems);
};

/* Opens a file and finds its images. The path "-" stands for standard input, and pipes can be read,
 * too. Returns false after a message to stderr if the file cannot be read. The file must be closed
 * in any case, and the arena must live as long as the file. */
bool image_file_open(struct image_file *file, const char *path, struct arena *arena);
void image_file_close(struct image_file *file);

/* The bytes of an image, unpacked into the arena if they are packed. Returns false if they are
 * damaged. */
bool image_bytes(const struct image *image, struct arena *arena, struct bytes *bytes);

/* "PTX", "cubin", "LTO-IR" or "unknown". */
const char *image_kind_name(enum image_kind kind);

/* "libx.a:b.o (sm_90, image 3)", or the path alone if the file is a single image. */
const char *image_label(const struct image_file *file, const struct image *image,
                        struct arena *arena);

/* Which images of a file a command should take. */
struct image_choice {
    const char *architecture; /* "sm_90"; NULL: any */
    const char *member;       /* of an archive: its name, or "inner.a:b.o"; NULL: any */
    size_t number;            /* 0: any */
};

bool image_is_chosen(const struct image_choice *choice, const struct image *image);

/* Reports the parts of the file that could not be read. */
void image_report_problems(const struct image_file *file);

/* Reports that a file has nothing that a command can take ("cubin", "image"), and what it holds
 * instead. */
void image_report_none(const struct image_file *file, const struct image_choice *choice,
                       const char *wanted);

#endif
