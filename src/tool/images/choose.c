/* Makes the labels of images, and chooses images by options; see images.h. */
#include <string.h>

#include "base/arena.h"
#include "tool/decode/tool_error.h"
#include "tool/images/images.h"

const char *image_kind_name(enum image_kind kind)
{
    static const char NAMES[][8] = {[IMAGE_CUBIN] = "cubin",
                                    [IMAGE_PTX] = "PTX",
                                    [IMAGE_LTO_IR] = "LTO-IR",
                                    [IMAGE_UNKNOWN] = "unknown"};
    return NAMES[kind];
}

const char *image_label(const struct image_file *file, const struct image *image,
                        struct arena *arena)
{
    if (!image->member && !image->is_in_fatbin)
        return file->path;
    const char *separator = image->member ? ":" : "", *member = image->member ? image->member : "";
    return arena_format(arena, "%s%s%s (%s%simage %u)", file->path, separator, member,
                        image->architecture, *image->architecture ? ", " : "", image->number);
}

/* Whether `wanted` names the member. "b.o" names "b.o" and "inner.a:b.o". */
static bool is_member(const char *member, const char *wanted)
{
    size_t size = strlen(member), wanted_size = strlen(wanted);
    return wanted_size <= size && !strcmp(member + size - wanted_size, wanted) &&
           (size == wanted_size || member[size - wanted_size - 1] == ':');
}

/* Whether all options choose the image. --member applies only to images in archives. */
bool image_is_chosen(const struct image_choice *choice, const struct image *image)
{
    return (!choice->architecture || !strcmp(choice->architecture, image->architecture)) &&
           (!choice->member || !image->member || is_member(image->member, choice->member)) &&
           (!choice->number || choice->number == image->number);
}

/* Returns the kinds of images in a file, each once and in the order of the file, such as "sm_80
 * cubin, compute_90 PTX". A damaged file can have thousands of kinds, so only some are listed. */
static const char *contents_text(const struct image_file *file)
{
    enum { MOST_KINDS = 20 };
    const char *text = "";
    unsigned kinds = 0;
    for (size_t i = 0; i < file->images_count && kinds <= MOST_KINDS; i++) {
        const struct image *image = &file->images[i];
        const char *one =
            arena_format(file->arena, "%s%s%s", image->architecture,
                         *image->architecture ? " " : "", image_kind_name(image->kind));
        if (!strstr(text, one) && kinds++ < MOST_KINDS)
            text = arena_format(file->arena, "%s%s%s", text, *text ? ", " : "", one);
    }
    return kinds > MOST_KINDS ? arena_join(file->arena, text, ", ...") : text;
}

void image_report_problems(const struct image_file *file)
{
    for (size_t i = 0; i < file->problems_count; i++) {
        const struct image_problem *problem = &file->problems[i];
        tool_error("%s%s%s: %s", file->path, problem->member ? ":" : "",
                   problem->member ? problem->member : "", problem->text);
    }
}

void image_report_none(const struct image_file *file, const struct image_choice *choice,
                       const char *wanted)
{
    bool has_choice = choice->architecture || choice->member || choice->number;
    if (file->images_count)
        tool_error("%s: has no %s%s; it holds %s; 'cubintool list' shows all", file->path,
                   has_choice ? "such " : "", wanted, contents_text(file));
    else if (!file->problems_count)
        tool_error("%s: holds no device code", file->path);
}
