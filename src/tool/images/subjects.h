/* Opens the device ELFs that a command works on: all cubins of a file that the options choose. */
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
    struct arena unpacked; /* the cubin that was opened last, if it was packed */
    struct image_file file;
    struct image_choice choice;
    size_t next;      /* index in file.images from which subjects_next continues */
    bool is_unusable; /* a part of the file cannot be used, or no cubin is chosen */
};

/* Opens a file, and sets is_unusable if necessary. Reports to stderr which parts cannot be used.
 * The caller must close the subjects even then. */
void subjects_open(struct subjects *subjects, const char *path, const struct tool_options *options);
void subjects_close(struct subjects *subjects);

/* Returns the next chosen cubin, or NULL after the last one. */
const struct image *subjects_next(struct subjects *subjects);

/* Opens a cubin, as subject_open does. `subject` must be closed before `subjects`, and before the
 * next cubin is opened: its unpacked bytes are then freed, because a file can have thousands. */
enum subject_state subjects_open_image(struct subjects *subjects, const struct image *image,
                                       struct subject *subject, elf_problem_handler *handler,
                                       void *context);

/* Opens the chosen cubin. If several cubins are chosen, reports an error instead. */
enum subject_state subjects_open_single(struct subjects *subjects, struct subject *subject);

/* A function that does the work of a command on one cubin. The arena is freed after the call. If
 * the work fails, the function reports the reason and returns false. */
typedef bool subject_work(struct subject *subject, const struct tool_options *options,
                          struct arena *arena);

/* Opens the only chosen cubin of the first file, and calls `work`. Returns the exit status. */
int subjects_use_single(const struct tool_options *options, subject_work *work);

/* A function that subjects_visit calls for each cubin. The sections and symbols of the subject have
 * labels. The function returns false if it fails. */
typedef bool subject_visitor(void *context, const struct subject *subject);

/* Calls `visit` for all chosen cubins of a file. Returns false if a call failed. If a part of the
 * file cannot be used, reports it and returns false. All other cubins are visited even then. */
bool subjects_visit(const char *path, const struct tool_options *options, subject_visitor *visit,
                    void *context);

#endif
