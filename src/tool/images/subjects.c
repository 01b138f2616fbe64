/* Opens the cubins of a file one after the other; see subjects.h. */
#include "tool/images/subjects.h"

#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf_view.h"
#include "tool/command/command.h"
#include "tool/decode/subject.h"
#include "tool/decode/tool_error.h"
#include "tool/images/images.h"

static bool is_wanted(const struct subjects *subjects, const struct image *image)
{
    return image->kind == IMAGE_CUBIN && image_is_chosen(&subjects->choice, image);
}

static size_t count_wanted(const struct subjects *subjects)
{
    size_t count = 0;
    for (size_t i = 0; i < subjects->file.images_count; i++)
        count += is_wanted(subjects, &subjects->file.images[i]);
    return count;
}

void subjects_open(struct subjects *subjects, const char *path, const struct tool_options *options)
{
    *subjects =
        (struct subjects){.choice = {options->architecture, options->member, options->image}};
    tool_arena_init(&subjects->arena);
    tool_arena_init(&subjects->unpacked);
    if (!image_file_open(&subjects->file, path, &subjects->arena)) {
        subjects->is_unusable = true;
        return;
    }
    image_report_problems(&subjects->file);
    bool has_none = !count_wanted(subjects);
    if (has_none)
        image_report_none(&subjects->file, &subjects->choice, "cubin");
    subjects->is_unusable = has_none || subjects->file.problems_count;
}

void subjects_close(struct subjects *subjects)
{
    image_file_close(&subjects->file);
    arena_destroy(&subjects->unpacked);
    arena_destroy(&subjects->arena);
}

const struct image *subjects_next(struct subjects *subjects)
{
    while (subjects->next < subjects->file.images_count) {
        const struct image *image = &subjects->file.images[subjects->next++];
        if (is_wanted(subjects, image))
            return image;
    }
    return NULL;
}

enum subject_state subjects_open_image(struct subjects *subjects, const struct image *image,
                                       struct subject *subject, elf_problem_handler *handler,
                                       void *context)
{
    const char *label = image_label(&subjects->file, image, &subjects->arena);
    struct bytes bytes;
    arena_destroy(&subjects->unpacked);
    tool_arena_init(&subjects->unpacked);
    if (image_bytes(image, &subjects->unpacked, &bytes))
        return subject_open(subject, label, bytes, handler, context);
    *subject = (struct subject){.path = label};
    tool_arena_init(&subject->arena);
    tool_error("%s: the compressed image is damaged", label);
    return SUBJECT_UNUSABLE;
}

enum subject_state subjects_open_single(struct subjects *subjects, struct subject *subject)
{
    size_t count = count_wanted(subjects);
    const struct image *image = subjects_next(subjects);
    if (image && count == 1)
        return subjects_open_image(subjects, image, subject, NULL, NULL);
    *subject = (struct subject){.path = subjects->file.path};
    tool_arena_init(&subject->arena);
    if (count > 1)
        tool_error("%s: holds %zu cubins; choose one with --arch, --member or --image, which "
                   "'cubintool list' shows",
                   subjects->file.path, count);
    return SUBJECT_UNUSABLE;
}

int subjects_use_single(const struct tool_options *options, subject_work *work)
{
    struct arena arena;
    struct subjects subjects;
    struct subject subject;
    tool_arena_init(&arena);
    subjects_open(&subjects, options->files[0], options);
    bool is_done = subjects_open_single(&subjects, &subject) == SUBJECT_OPEN &&
                   work(&subject, options, &arena);
    subject_close(&subject);
    subjects_close(&subjects);
    arena_destroy(&arena);
    return is_done ? TOOL_EXIT_OK : TOOL_EXIT_UNUSABLE;
}

bool subjects_visit(const char *path, const struct tool_options *options, subject_visitor *visit,
                    void *context)
{
    struct subjects subjects;
    const struct image *image;
    subjects_open(&subjects, path, options);
    bool is_good = !subjects.is_unusable;
    while ((image = subjects_next(&subjects))) {
        struct subject subject;
        bool is_open =
            subjects_open_image(&subjects, image, &subject, NULL, NULL) == SUBJECT_OPEN &&
            subject_label(&subject, tool_shows_readable_names(options), LABELS_OF_TABLES);
        is_good &= is_open && visit(context, &subject);
        subject_close(&subject);
    }
    subjects_close(&subjects);
    return is_good;
}
