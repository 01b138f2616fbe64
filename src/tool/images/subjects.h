/* The device ELFs that a command works on: all cubins of a file that its options choose. */
#ifndef WARPLD_TOOL_IMAGES_SUBJECTS_H
#define WARPLD_TOOL_IMAGES_SUBJECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "format/elf_view.h"
#include "tool/command/command.h"
#include "tool/decode/subject.h"
#include "tool/images/images.h"

struct subjects {
    struct arena arena;
    struct image_file file;
    struct image_choice choice;
    size_t next;      /* index of the image to look at next */
    bool is_unusable; /* part of the file is unusable, or no cubin is chosen; this was reported */
};

/* Opens the file and reports to stderr which parts of it cannot be used. The subjects must be
 * closed in any case. */
void subjects_open(struct subjects *subjects, const char *path, const struct tool_options *options);
void subjects_close(struct subjects *subjects);

/* The next chosen cubin, or NULL. */
const struct image *subjects_next(struct subjects *subjects);

/* Opens a cubin, as subject_open does. `subject` must be closed before `subjects`. */
enum subject_state subjects_open_image(struct subjects *subjects, const struct image *image,
                                       struct subject *subject, elf_problem_handler *handler,
                                       void *context);

/* Opens the chosen cubin. If several cubins are chosen, reports an error instead. */
enum subject_state subjects_open_single(struct subjects *subjects, struct subject *subject);

/* What a command does with one cubin; what it allocates from the arena is freed afterwards. If it
 * fails, it reports the reason and returns false. */
typedef bool subject_work(struct subject *subject, const struct tool_options *options,
                          struct arena *arena);

/* Does a command's work on the only chosen cubin of its first file; returns the exit status. */
int subjects_use_single(const struct tool_options *options, subject_work *work);

/* Is called for a cubin whose sections and symbols have labels. Returns false if it failed. */
typedef bool subject_visitor(void *context, const struct subject *subject);

/* Visits all chosen cubins of a file. Returns false if a visit failed, or, after a message, if a
 * part of the file could not be used. All other cubins have been visited even then. */
bool subjects_visit(const char *path, const struct tool_options *options, subject_visitor *visit,
                    void *context);

#endif
