/* Examines bytes before they become an input; see examine.h.
 *
 * The rules are those of open_object.c and choose_images.c, but the search continues after a fault.
 * A fault in a member of an archive is not reported, because only the link knows whether it needs
 * the member. */
#include "link/image/examine.h"

#include "base/arena.h"
#include "format/architecture.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/file_kind.h"
#include "format/recognise/ptx_text.h"
#include "format/unified_index.h"
#include "link/image/choose_images.h"
#include "link/input/input_state.h"
#include "link/model/compat.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"

static enum warpld_content content_of(struct bytes data)
{
    if (data.size < ELF_HEADER_SIZE && elf_identify(data) != ELF_KIND_NOT_ELF)
        return WARPLD_CONTENT_UNKNOWN;
    switch (elf_identify(data)) {
    case ELF_KIND_DEVICE:
    case ELF_KIND_DEVICE_32:
    case ELF_KIND_DEVICE_ABI:
        return WARPLD_CONTENT_CUBIN;
    case ELF_KIND_FOREIGN:
        return WARPLD_CONTENT_HOST_OBJECT;
    case ELF_KIND_NOT_ELF:
        break;
    }
    if (fatbin_recognise(data))
        return WARPLD_CONTENT_FATBIN;
    if (archive_recognise(data))
        return WARPLD_CONTENT_ARCHIVE;
    if (file_kind_is_lto_ir(data))
        return WARPLD_CONTENT_LTO_IR;
    if (unified_index_identify(data))
        return WARPLD_CONTENT_UNIFIED_INDEX;
    return is_ptx(data) ? WARPLD_CONTENT_PTX : WARPLD_CONTENT_UNKNOWN;
}

struct examination {
    struct warpld_examined *examined;
    bool has_exceptions;
};

static bool note_problem(void *context, const struct elf_problem *problem)
{
    struct examination *examination = context;
    bool is_exception = elf_rule_is_exception(problem->rule);
    examination->has_exceptions |= is_exception;
    if (!is_exception)
        examination->examined->problem = elf_rule_text(problem->rule);
    return is_exception;
}

/* Examines a cubin. Keeps its view, so that the link need not validate the cubin again if it is
 * added next. The view is not kept if the cubin breaks rules about which the link only warns: to
 * warn about them, the link must validate the cubin again. */
static void examine_cubin(link_context *link, struct bytes data, struct warpld_examined *examined)
{
    if (elf_identify(data) != ELF_KIND_DEVICE) {
        examined->problem = "it has the form of another release than CUDA 12 or 13, or 32 bits";
        return;
    }
    struct elf_view *view = ARENA_NEW(&link->arena, struct elf_view);
    struct examination examination = {.examined = examined};
    if (!elf_view_open(view, data, &link->arena, note_problem, &examination))
        return;
    const struct input_object object = {.elf = *view};
    examined->is_linked = view->type == ET_EXEC;
    examined->has_code = link->target && compat_runs_on_target(link, &object);
    examined->lacks_target = !examined->has_code;
    link->input->examined = examination.has_exceptions ? NULL : view;
}

const struct elf_view *examined_view(const link_context *link, struct bytes data)
{
    const struct elf_view *view = link->input->examined;
    bool is_same = view && view->file.data == data.data && view->file.size == data.size;
    return is_same ? view : NULL;
}

/* Records which kinds of images a link would take from the containers. */
static void examine_fatbins(const link_context *link, struct bytes data,
                            struct warpld_examined *examined)
{
    struct fatbin fatbin;
    fatbin_open(&fatbin, data);
    if (!fatbin.problem)
        do {
            struct previewed_choice choice = {.has_code = false};
            const char *problem =
                link->target ? preview_choice(link, fatbin.container, &choice) : NULL;
            if (problem && !examined->problem)
                examined->problem = problem;
            examined->has_code |= choice.has_code;
            examined->has_ptx |= choice.has_ptx;
            examined->has_lto_ir |= choice.has_lto_ir;
            examined->lacks_target = true;
        } while (fatbin_next_container(&fatbin));
    if (fatbin.problem && !examined->problem)
        examined->problem = fatbin.problem;
}

static void examine_host_object(const link_context *link, struct bytes data,
                                struct warpld_examined *examined)
{
    struct host_object host;
    bool is_readable = host_object_open(data, &host);
    if (host.is_relocatable && host.damage && !examined->problem)
        examined->problem = host.damage;
    if (is_readable && host.is_relocatable && host.has_device_code && host.relocatable_code.size)
        examine_fatbins(link, host.relocatable_code, examined);
}

static void examine_member(const link_context *link, struct bytes data,
                           struct warpld_examined *examined)
{
    struct warpld_examined member = {.content = content_of(data)};
    if (member.content == WARPLD_CONTENT_FATBIN)
        examine_fatbins(link, data, &member);
    else if (member.content == WARPLD_CONTENT_HOST_OBJECT)
        examine_host_object(link, data, &member);
    else if (member.content == WARPLD_CONTENT_CUBIN)
        member.has_code = true; /* the link checks whether it fits the target */
    examined->has_code |= member.has_code;
    examined->has_ptx |= member.has_ptx || member.content == WARPLD_CONTENT_PTX;
    examined->has_lto_ir |= member.has_lto_ir;
    examined->lacks_target |= member.lacks_target;
}

static void examine_archive(const link_context *link, struct bytes data,
                            struct warpld_examined *examined)
{
    struct archive archive;
    struct archive_member member;
    archive_open(&archive, data);
    while (archive_next(&archive, &member))
        if (!member.is_external)
            examine_member(link, member.contents, examined);
    examined->problem = archive.problem;
}

void examine(link_context *link, struct bytes data, struct warpld_examined *examined)
{
    link_set_target(link); /* an unknown target is reported when the link runs */
    link->input->examined = NULL;
    *examined = (struct warpld_examined){.size = sizeof *examined, .content = content_of(data)};
    if (examined->content == WARPLD_CONTENT_CUBIN)
        examine_cubin(link, data, examined);
    else if (examined->content == WARPLD_CONTENT_FATBIN)
        examine_fatbins(link, data, examined);
    else if (examined->content == WARPLD_CONTENT_HOST_OBJECT)
        examine_host_object(link, data, examined);
    else if (examined->content == WARPLD_CONTENT_ARCHIVE)
        examine_archive(link, data, examined);
    examined->has_ptx |= examined->content == WARPLD_CONTENT_PTX;
    examined->has_lto_ir |= examined->content == WARPLD_CONTENT_LTO_IR;
    examined->lacks_target &= !examined->has_code && !examined->has_ptx && !examined->has_lto_ir;
}
