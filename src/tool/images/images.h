/* Finds the device code in a file: a cubin, PTX text, LTO-IR, fat binary, host object, host
 * program, or an archive of such files or of archives.
 *
 *      libx.a --> member a.o --> section __nv_relfatbin --> container --> entry: image
 *
 * Each piece of code is an image. All images are numbered from 1 in the order of the file, so a
 * number names the same image in every command. */
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
    uint32_t number;           /* from 1 */
    enum image_kind kind;      /* in a fat binary, the kind that the header of the entry gives */
    const char *member;        /* "b.o", in nested archives "inner.a:b.o"; NULL outside archives */
    const char *section;       /* section with the image, in a host object; NULL for other files */
    struct fatbin_entry entry; /* outside fat binaries, only the payload is set */
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

/* Opens a file and finds its images. The path "-" is standard input; pipes can be read, too. If the
 * file cannot be read, reports it to stderr and returns false. In both cases the caller must close
 * the file. The arena must live as long as the file. */
bool image_file_open(struct image_file *file, const char *path, struct arena *arena);
void image_file_close(struct image_file *file);

/* Sets *bytes to the bytes of an image. If the image is packed, unpacks it into the arena. Returns
 * false if it is damaged. */
bool image_bytes(const struct image *image, struct arena *arena, struct bytes *bytes);

/* Returns "PTX", "cubin", "LTO-IR" or "unknown". */
const char *image_kind_name(enum image_kind kind);

/* Returns a text such as "libx.a:b.o (sm_90, image 3)". If the file itself is the image, returns
 * only the path. */
const char *image_label(const struct image_file *file, const struct image *image,
                        struct arena *arena);

/* The options that choose images of a file. An image must fit all of them. */
struct image_choice {
    const char *architecture; /* "sm_90"; NULL: any */
    const char *member;       /* name of an archive member: "b.o" or "inner.a:b.o"; NULL: any */
    size_t number;            /* 0: any */
};

bool image_is_chosen(const struct image_choice *choice, const struct image *image);

/* Reports the parts of the file that could not be read. */
void image_report_problems(const struct image_file *file);

/* Reports that a file has no chosen image that the command can use, and which images it has.
 * `wanted` is the word for such an image: "cubin" or "image". */
void image_report_none(const struct image_file *file, const struct image_choice *choice,
                       const char *wanted);

#endif
