/* Finds the device code in any input except an archive. Part of pass_open_inputs.
 *
 * Inputs are recognised by their contents. The file name matters only if a file has no device code:
 * with a name such as a.cubin it is an error; otherwise it is skipped. */
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/file_kind.h"
#include "format/recognise/ptx_text.h"
#include "link/input/input_state.h"
#include "link/input/skip_units.h"
#include "link/input/source.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"

/* Reports an input that is ignored. `kind` is a text that follows "it is", or NULL if the kind is
 * not known. The name of a member is not stored in the arena, because thousands of members of a
 * small archive can share one long name. */
static void report_ignored(link_context *link, const struct source *source, const char *kind)
{
    enum diagnostic_name message = kind ? DIAGNOSTIC_INPUT_KIND : DIAGNOSTIC_INPUT_UNKNOWN;
    char buffer[2 * ARCHIVE_LONGEST_NAME];
    const char *name = source->name;
    if (source->is_member) {
        int size = snprintf(buffer, sizeof buffer, "%s:%.*s", source->name,
                            (int)source->member.size, (const char *)source->member.data);
        name = size >= 0 && size < (int)sizeof buffer ? buffer : source_full_name(link, source);
    }
    diagnostic_report(&link->diagnostics, message, name, NULL, name, kind);
}

/* Adds each container as a unit, because ld -r joins the containers of several objects in one
 * section. */
static void open_fatbins(link_context *link, const struct source *source, struct bytes bytes,
                         const struct host_object *host)
{
    struct fatbin fatbin;
    fatbin_open(&fatbin, bytes);
    if (!fatbin.problem)
        do {
            struct bytes container = {fatbin.container.data, fatbin.container.size};
            source_add_unit(link, source, UNIT_FATBIN, container)->host = host;
        } while (fatbin_next_container(&fatbin));
    if (fatbin.problem)
        source_add_broken(link, source, DIAGNOSTIC_CONTAINER_DAMAGED, fatbin.problem);
}

/* Whether the host object is the result of a device link. Such an object names the objects that
 * were linked into it. */
static bool holds_linked_objects(const struct host_object *host)
{
    struct bytes rest = host->module_ids, text;
    while (host_string_next(&rest, &text))
        if (text.size && !module_id_is_own(text))
            return true;
    return false;
}

static const struct unusable_code
    WITHOUT_RDC = {"was compiled without -rdc=true", "recompile it with -rdc=true"},
    LINKED_FOR_HOST = {"is a program or shared library", "add its objects or static library"},
    ONLY_OF_GCC = {"holds only GCC's code for the host's linker (-flto)",
                   "compile it without -flto, or with -ffat-lto-objects"},
    ONLY_OF_LLVM = {"holds only LLVM's code for the host's linker (-flto)",
                    "compile it without -flto, or with -ffat-lto-objects"};

/* Reports device code that no link can use; nvlink ignores it silently. If successive members of an
 * archive have the same problem, only the first is reported. */
static void report_unusable(link_context *link, struct source *source,
                            const struct unusable_code *code)
{
    struct input_state *input = link->input;
    bool is_known = source->is_member && input->last_unusable_archive == source->name &&
                    input->last_unusable == code;
    input->has_unusable_code = true;
    source->unusable = code;
    if (is_known || link->options.as_nvlink)
        return;
    input->last_unusable_archive = source->name;
    input->last_unusable = code;
    const char *name = source_full_name(link, source);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_INPUT_UNUSABLE, name, NULL, name,
                      code->description, code->remedy);
}

static void open_device_code(link_context *link, struct source *source,
                             const struct host_object *found)
{
    struct host_object *host = ARENA_NEW(&link->arena, struct host_object);
    *host = *found;
    if (host->relocatable_code.size)
        open_fatbins(link, source, host->relocatable_code, host);
    else if (!host->linked_code.size)
        source_add_broken(link, source, DIAGNOSTIC_NO_FATBIN,
                          host->damage ? host->damage : "it has .nvFatBinSegment, but no code");
    else if (!holds_linked_objects(host))
        report_unusable(link, source, &WITHOUT_RDC);
}

/* Reports device code in an output of the host's linker. The code is linked already, or the file is
 * damaged. */
static void open_program(link_context *link, struct source *source, const struct host_object *host)
{
    if (host->has_segments && (host->has_device_code || host->linked_code.size))
        report_unusable(link, source, &LINKED_FOR_HOST);
    else if (!host->has_segments && (host->has_device_code || host->trace))
        source_add_broken(
            link, source, DIAGNOSTIC_NO_FATBIN,
            "its header says that it is no object, but it has no segments of a program");
}

/* Whether the host object is refused as incomplete. nvlink 13.0.88 ignores such an object silently
 * if its file name has no suffix or ends in .so; warpld refuses it whatever its name. A member of
 * an archive is refused only if its section headers cannot be read; nvlink skips such a member
 * silently (docs/quirks/inputs.md). */
static bool is_cut_off(const struct source *source, const struct host_object *host,
                       bool is_readable)
{
    return host->is_relocatable && host->damage && !(source->is_member && is_readable);
}

/* Whether the input is a program or shared library, whose code only the host's loader can use. A
 * member of an archive is an exception if relocatable device code is left in it: nvlink 13.0.88
 * links this code (observed with 8 files). */
static bool is_program(const struct source *source, const struct host_object *host)
{
    bool has_code = host->has_device_code && host->relocatable_code.size;
    return !host->is_relocatable && !(source->is_member && has_code);
}

/* Opens a host object. Programs, shared libraries and objects without relocatable device code are
 * left to the host's linker. But the host code of such an object may refer to any kernel, so the
 * link records that such an object exists (has_silent_host_object). Returns false if the input is
 * not a readable host object. */
static bool open_host_object(link_context *link, struct source *source)
{
    struct host_object host;
    bool is_readable = host_object_open(source->bytes, &host);
    if (is_cut_off(source, &host, is_readable)) {
        source_add_broken(link, source, DIAGNOSTIC_NO_FATBIN, host.damage);
        return true;
    }
    if (!is_readable)
        return false;
    if (is_program(source, &host)) {
        open_program(link, source, &host);
        return true;
    }
    link->input->host_object_count++;
    note_linked_before(link, &host);
    bool is_to_be_linked = host.has_device_code && host.relocatable_code.size;
    if (!is_to_be_linked || !host_object_lists_kernels(&host))
        link->input->has_silent_host_object = true;
    if (host.trace)
        source_add_broken(link, source, DIAGNOSTIC_NO_FATBIN,
                          arena_format(&link->arena, "it has %s", host.trace));
    else if (host.has_device_code)
        open_device_code(link, source, &host);
    else if (host.intermediate)
        report_unusable(link, source,
                        !strcmp(host.intermediate, "GCC") ? &ONLY_OF_GCC : &ONLY_OF_LLVM);
    return true;
}

static bool has_suffix(const struct source *source, const char *suffix)
{
    size_t size = strlen(source->name), suffix_size = strlen(suffix);
    return !source->is_member && size >= suffix_size &&
           !strcmp(source->name + size - suffix_size, suffix);
}

static bool is_named_cubin(const struct source *source)
{
    return has_suffix(source, ".cubin");
}

/* A suffix of file names that announces device code. */
struct suffix {
    const char *text;
    enum diagnostic_name problem;
};

/* Returns the suffix of a file's name that announces device code, or NULL. nvlink 13.0.88 refuses
 * nonempty files whose names have these suffixes. It refuses files named .cubin, .fatbin and .ptx
 * only if their contents are of another kind (75 files). */
static const struct suffix *find_suffix(const struct source *source)
{
    static const struct suffix SUFFIXES[] = {
        {".fatbin", DIAGNOSTIC_INPUT_NOT_FATBIN}, {".ptx", DIAGNOSTIC_INPUT_NOT_PTX},
        {".ltoir", DIAGNOSTIC_INPUT_LTO_IR},      {".nvvm", DIAGNOSTIC_INPUT_LTO_IR},
        {".bc", DIAGNOSTIC_INPUT_BITCODE},
    };
    for (size_t i = 0; source->bytes.size && i < sizeof SUFFIXES / sizeof *SUFFIXES; i++)
        if (has_suffix(source, SUFFIXES[i].text))
            return &SUFFIXES[i];
    return NULL;
}

/* Returns the message for a file with this suffix. With -lto, nvlink 13.0.88 has another message
 * for files named .ltoir and .nvvm. */
static enum diagnostic_name problem_of_suffix(const link_context *link, const struct suffix *suffix)
{
    bool is_read_as_lto_ir = suffix->problem == DIAGNOSTIC_INPUT_LTO_IR && link->options.optimise;
    return is_read_as_lto_ir ? DIAGNOSTIC_INPUT_NOT_LTO_IR : suffix->problem;
}

/* Returns a text that says what the file is, for a file whose suffix announces something else.
 * `suffix` is NULL for .cubin. */
static const char *reason_of_suffix(link_context *link, const struct source *source,
                                    const struct suffix *suffix)
{
    const char *kind = file_kind(source->bytes), *other = "";
    bool is_for_lto = suffix && (suffix->problem == DIAGNOSTIC_INPUT_LTO_IR ||
                                 suffix->problem == DIAGNOSTIC_INPUT_BITCODE);
    if (is_for_lto && file_kind_is_lto_ir(source->bytes))
        return "it is optimised at link time, with -lto";
    if (is_for_lto)
        other = ", but not LTO-IR, which nvcc writes with -dlto";
    else if (suffix && suffix->problem == DIAGNOSTIC_INPUT_NOT_PTX && !strcmp(kind, "text"))
        other = ", but not PTX, which begins with .version";
    return arena_format(&link->arena, "it is %s%s", kind, other);
}

/* Refuses an input whose name announces device code, although the input has none that can be
 * linked. Returns false for other names. */
static bool refuse_name(link_context *link, const struct source *source)
{
    bool is_elf = elf_identify(source->bytes) == ELF_KIND_FOREIGN;
    const struct suffix *suffix = find_suffix(source);
    if (!suffix && !is_named_cubin(source))
        return false;
    enum diagnostic_name problem =
        is_elf ? DIAGNOSTIC_INPUT_NOT_DEVICE_ELF : DIAGNOSTIC_INPUT_NOT_ELF;
    if (suffix)
        problem = problem_of_suffix(link, suffix);
    source_add_broken(link, source, problem, reason_of_suffix(link, source, suffix));
    return true;
}

/* Returns the reason why a file with unknown contents is an error instead of being skipped, or
 * NULL. `kind` is the result of file_kind_by_magic. */
static const char *reason_for_error(link_context *link, const struct source *source,
                                    const char *kind)
{
    const char *trace = kind ? NULL : device_code_trace(source->bytes);
    if (!trace && !source->is_member && has_type_of_object(source->bytes))
        trace = "the type of an object file";
    if (!trace || kind)
        return trace ? arena_format(&link->arena, "it is %s", kind) : NULL;
    return arena_format(&link->arena, "it is nothing that can be read, but it has %s", trace);
}

/* Skips a file without device code, as nvlink 13.0.88 does. If its name has a suffix for device
 * code, the file is refused instead. A file with signs of device code is reported as damaged. */
static void skip_input(link_context *link, struct source *source)
{
    const char *kind = file_kind_by_magic(source->bytes);
    bool is_host_object = elf_identify(source->bytes) == ELF_KIND_FOREIGN;
    if (is_host_object)
        link->input->has_silent_host_object = true;
    if (refuse_name(link, source))
        return;
    const char *reason = reason_for_error(link, source, kind);
    if (reason)
        source_add_broken(link, source, DIAGNOSTIC_NO_FATBIN, reason);
    else if (kind || (source->bytes.size && !source->is_member && !is_host_object))
        link->input->has_unusable_code = true;
    if (reason || link->options.as_nvlink)
        return;
    if (!kind && source->bytes.size && file_kind_is_text(source->bytes))
        kind = "text, but not PTX, which begins with .version; compile source files first";
    report_ignored(link, source, kind);
}

/* A host object without device code is left to the host's linker, unless its name announces device
 * code. */
static void open_host_or_skip(link_context *link, struct source *source)
{
    size_t units = link->units_count;
    if (!open_host_object(link, source))
        skip_input(link, source);
    else if (link->units_count == units)
        refuse_name(link, source);
}

static bool is_device_elf(struct bytes file)
{
    enum elf_kind kind = elf_identify(file);
    return kind == ELF_KIND_DEVICE || kind == ELF_KIND_DEVICE_32 || kind == ELF_KIND_DEVICE_ABI;
}

/* Adds a cubin. A relocatable cubin may have any name. An executable cubin adds nothing to the
 * link. As in nvlink 13.0.88, an executable cubin is refused if its name has one of the suffixes in
 * find_suffix except .ptx (9 names). */
static void open_device_elf(link_context *link, const struct source *source)
{
    bool is_linked = load_u16(source->bytes.data + E_TYPE) == ET_EXEC;
    const struct suffix *suffix = is_linked ? find_suffix(source) : NULL;
    if (suffix && suffix->problem != DIAGNOSTIC_INPUT_NOT_PTX)
        source_add_broken(link, source, problem_of_suffix(link, suffix),
                          "it is an executable cubin, which is linked already");
    else
        source_add_unit(link, source, UNIT_CUBIN, source->bytes);
}

void open_object(link_context *link, struct source *source)
{
    if (source->file && source->file->view) /* the bytes may have been released */
        source_add_unit(link, source, UNIT_CUBIN, source->bytes)->view = source->file->view;
    else if (is_device_elf(source->bytes))
        open_device_elf(link, source);
    else if (fatbin_recognise(source->bytes))
        open_fatbins(link, source, source->bytes, NULL);
    else if (is_ptx(source->bytes) ||
             (has_suffix(source, ".ptx") && begins_with_version(source->bytes)))
        source_add_unit(link, source, UNIT_PTX, source->bytes);
    else if (link->options.optimise && file_kind_is_lto_ir(source->bytes))
        source_add_unit(link, source, UNIT_LTO_IR, source->bytes);
    else
        open_host_or_skip(link, source);
}
