/* Finds the device code in the inputs.
 *
 * Requires: INDEX_READ (errors in the index file end the link before a message about an input).
 * Makes: OPENED, the units in the order of linking.
 * Frozen after: nothing more.
 *
 * All members of an archive are linked, at the archive's position on the command line. Inputs are
 * recognised by their contents. The file name matters only if a file has no device code: with a
 * name such as a.cubin it is an error; otherwise it is skipped. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "base/file.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/file_kind.h"
#include "format/recognise/ptx_text.h"
#include "link/input/input_bytes.h"
#include "link/input/input_state.h"
#include "link/input/shared_inputs.h"
#include "link/input/skip_units.h"
#include "link/model/input_file.h"
#include "link/model/link_context.h"
#include "link/prepared/prepared_inputs.h"

/* An input that is being opened: a file, or a member of an archive. */
struct source {
    const char *name; /* path of the file or archive */
    struct bytes bytes;
    const struct input_file *file; /* NULL for archive members */
    bool is_member;
    struct bytes member;                  /* name of the member in the archive */
    const struct unusable_code *unusable; /* set by report_unusable, else NULL */
};

/* The number of bytes that the names of members may take in memory. In valid archives names add up
 * to much less. In a damaged one, a million members can refer to one long name. */
enum { MOST_NAME_SIZE = 256 << 20 };

/* Returns the name for messages. It is formatted only when it is needed, because most members of
 * most archives have no device code. Without memory for more names, members have the name of their
 * archive. */
static const char *full_name(link_context *link, const struct source *source)
{
    if (!source->is_member || link->input->name_size > MOST_NAME_SIZE)
        return source->name;
    link->input->name_size += strlen(source->name) + source->member.size + 2;
    return arena_format(&link->arena, "%s:%.*s", source->name, (int)source->member.size,
                        (const char *)source->member.data);
}

static struct input_unit *add_unit(link_context *link, const struct source *source,
                                   enum unit_kind kind, struct bytes contents)
{
    struct input_unit *unit = ARENA_NEW(&link->arena, struct input_unit);
    *unit = (struct input_unit){
        .name = full_name(link, source),
        .contents = contents,
        .kind = kind,
        .is_member = source->is_member,
        .is_of_library = link->input->opens_libraries,
        .hosts_before = link->input->host_object_count,
    };
    unit->is_runtime = strstr(unit->name, "libcudadevrt") != NULL;
    *ARENA_APPEND(&link->arena, link, units) = unit;
    return unit;
}

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
        name = size >= 0 && size < (int)sizeof buffer ? buffer : full_name(link, source);
    }
    diagnostic_report(&link->diagnostics, message, name, NULL, name, kind);
}

/* Adds a broken unit, which ends the link. Later inputs are not opened. */
static void add_broken(link_context *link, const struct source *source,
                       enum diagnostic_name problem, const char *reason)
{
    struct input_unit *unit = add_unit(link, source, UNIT_BROKEN, source->bytes);
    unit->problem = problem;
    unit->reason = reason;
    link->input->has_broken_input = true;
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
            add_unit(link, source, UNIT_FATBIN, container)->host = host;
        } while (fatbin_next_container(&fatbin));
    if (fatbin.problem)
        add_broken(link, source, DIAGNOSTIC_CONTAINER_DAMAGED, fatbin.problem);
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
    const char *name = full_name(link, source);
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
        add_broken(link, source, DIAGNOSTIC_NO_FATBIN,
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
        add_broken(link, source, DIAGNOSTIC_NO_FATBIN,
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
        add_broken(link, source, DIAGNOSTIC_NO_FATBIN, host.damage);
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
        add_broken(link, source, DIAGNOSTIC_NO_FATBIN,
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
    add_broken(link, source, problem, reason_of_suffix(link, source, suffix));
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
        add_broken(link, source, DIAGNOSTIC_NO_FATBIN, reason);
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
        add_broken(link, source, problem_of_suffix(link, suffix),
                   "it is an executable cubin, which is linked already");
    else
        add_unit(link, source, UNIT_CUBIN, source->bytes);
}

/* Opens any input except an archive. */
static void open_object(link_context *link, struct source *source)
{
    if (source->file && source->file->view) /* the bytes may have been released */
        add_unit(link, source, UNIT_CUBIN, source->bytes)->view = source->file->view;
    else if (is_device_elf(source->bytes))
        open_device_elf(link, source);
    else if (fatbin_recognise(source->bytes))
        open_fatbins(link, source, source->bytes, NULL);
    else if (is_ptx(source->bytes) ||
             (has_suffix(source, ".ptx") && begins_with_version(source->bytes)))
        add_unit(link, source, UNIT_PTX, source->bytes);
    else if (link->options.optimise && file_kind_is_lto_ir(source->bytes))
        add_unit(link, source, UNIT_LTO_IR, source->bytes);
    else
        open_host_or_skip(link, source);
}

static struct input_file *add_member(link_context *link, const char *path,
                                     const struct input_file *archive)
{
    struct input_file *file = ARENA_NEW(&link->arena, struct input_file);
    *file = (struct input_file){.name = path, .archive = archive};
    *ARENA_APPEND(&link->arena, link->input, opened) = file;
    return file;
}

/* The number of bytes of files that the same thin archive may name again, including the lengths of
 * the files' paths. Archives of compiled code name each file once. Several archives may share
 * files. */
enum { MOST_REPEATED_SIZE = 256 << 20 };

/* Opens the file that a thin archive's member names. Each file is read once, and raises the memory
 * limit once: an archive can name the same file thousands of times, with only 60 bytes for each. */
static struct input_file *open_member(link_context *link, const char *path,
                                      const struct input_file *archive)
{
    struct file_identity identity;
    struct known_file *known = NULL;
    if (file_identify(&identity, path))
        known = link_known_file(link, &identity);
    struct input_file *file = add_member(link, path, archive);
    if (known && known->member) {
        file->read_before = known->member;
        if (known->named_by == archive)
            link->input->repeated_size += known->member->size + strlen(path);
        known->named_by = archive;
        return known->member;
    }
    input_file_load(file, link, &link->arena);
    inputs_allow_memory(link, file->size);
    if (known) {
        known->member = file;
        known->named_by = archive;
    }
    return file;
}

/* Opens a member of a thin archive. The path that the member names is relative to the archive's
 * folder. The members of an archive in memory are refused, because this archive has no folder. It
 * may also come from somebody who must not read files of this machine. */
static bool open_external(link_context *link, const struct source *archive, struct bytes member,
                          struct source *inner)
{
    if (!archive->file || archive->file->is_in_memory) {
        add_broken(
            link, &(struct source){.name = archive->name, .is_member = true, .member = member},
            DIAGNOSTIC_INPUT_UNREADABLE,
            archive->file ? "the thin archive is in memory, and what it names is not read"
                          : "the thin archive is inside an archive, and what it names is not read");
        return false;
    }
    const char *slash = strrchr(archive->name, '/');
    bool absolute = member.size && *member.data == '/';
    int folder = slash && !absolute ? (int)(slash - archive->name + 1) : 0;
    const char *path = arena_format(&link->arena, "%.*s%.*s", folder, archive->name,
                                    (int)member.size, (const char *)member.data);
    const struct input_file *file = open_member(link, path, archive->file);
    *inner = (struct source){
        .name = archive->name, .bytes = file->bytes, .is_member = true, .member = member};
    if (link->input->repeated_size > MOST_REPEATED_SIZE)
        add_broken(link, archive, DIAGNOSTIC_CONTAINER_DAMAGED,
                   "its members name the same files again and again");
    else if (file->missing)
        add_broken(link, &(struct source){.name = file->name}, DIAGNOSTIC_INPUT_UNREADABLE,
                   arena_format(&link->arena, "%s; the thin archive '%s' only refers to this file",
                                file->missing, archive->name));
    return !link->input->has_broken_input;
}

/* The limit of archives inside one another. No real library nests archives deeper, and each level
 * makes the names of members longer. */
enum { DEEPEST_ARCHIVE = 8 };

/* The archives that are open. Each archive except the first is a member of the previous one. */
struct open_archives {
    struct archive archives[DEEPEST_ARCHIVE];
    struct source sources[DEEPEST_ARCHIVE];
    size_t count;
};

static void push_archive(link_context *link, struct open_archives *open,
                         const struct source *source)
{
    if (open->count == DEEPEST_ARCHIVE) {
        add_broken(link, source, DIAGNOSTIC_CONTAINER_DAMAGED,
                   "too many archives are inside one another");
        return;
    }
    struct source *copy = &open->sources[open->count];
    *copy = (struct source){
        .name = full_name(link, source), .bytes = source->bytes, .file = source->file};
    archive_open(&open->archives[open->count++], source->bytes);
}

static void open_archive_member(link_context *link, struct open_archives *open,
                                const struct archive_member *member)
{
    const struct source *archive = &open->sources[open->count - 1];
    struct source inner = {.name = archive->name,
                           .bytes = member->contents,
                           .is_member = true,
                           .member = member->name};
    if (member->is_external && !open_external(link, archive, member->name, &inner))
        return;
    if (archive_recognise(inner.bytes))
        push_archive(link, open, &inner);
    else
        open_object(link, &inner);
}

/* Opens all members of an archive. The members of an archive inside the archive are linked at the
 * position of the inner archive. */
static void open_archive(link_context *link, const struct source *source)
{
    struct open_archives open = {.count = 0};
    struct archive_member member;
    push_archive(link, &open, source);
    while (open.count && !link->input->has_broken_input) {
        struct archive *archive = &open.archives[open.count - 1];
        if (archive_next(archive, &member))
            open_archive_member(link, &open, &member);
        else if (archive->problem)
            add_broken(link, &open.sources[open.count - 1], DIAGNOSTIC_CONTAINER_DAMAGED,
                       archive->problem);
        else
            open.count--;
    }
}

/* Whether the file is too short for device code. nvlink 13.0.88 reports that files of 1 to 55 bytes
 * cannot be opened. Archives are an exception, because an archive without members has only 8
 * bytes. */
static bool is_too_short(const struct source *source)
{
    enum { LEAST_SIZE = 56 };
    return source->bytes.size && source->bytes.size < LEAST_SIZE &&
           !archive_recognise(source->bytes);
}

/* Whether the file is an archive that was opened before. If the caller adds an archive twice, even
 * by two paths, it is linked once. An object that is added twice is linked twice, and its
 * definitions conflict. */
static bool is_opened_archive(link_context *link, const struct input_file *file)
{
    if (file->view || !archive_recognise(file->bytes) || !file->mapping.identity.inode)
        return false;
    struct known_file *known = link_known_file(link, &file->mapping.identity);
    bool is_opened = known->is_opened_archive;
    known->is_opened_archive = true;
    return is_opened;
}

static void open_bytes(link_context *link, struct input_file *file)
{
    size_t units = link->units_count;
    struct source source = {.name = file->name, .bytes = file->bytes, .file = file};
    if (file->missing)
        add_broken(link, &source, DIAGNOSTIC_INPUT_UNREADABLE, file->missing);
    else if (is_too_short(&source))
        add_broken(link, &source, DIAGNOSTIC_INPUT_UNREADABLE, "too short for any kind of input");
    else if (archive_recognise(source.bytes))
        open_archive(link, &source);
    else
        open_object(link, &source);
    file->is_without_code = link->units_count == units;
    file->unusable = source.unusable;
}

static uint64_t reported_text(const link_context *link)
{
    uint64_t size = 0;
    for (int severity = 0; severity < SEVERITY_COUNT; severity++)
        size += link->diagnostics.text_size[severity];
    return size;
}

/* Opens the file, and records the effects on the link in file->opened, so that a later link can use
 * a snapshot instead. */
static void open_and_note(link_context *link, struct input_file *file)
{
    struct input_state *input = link->input;
    uint64_t text = reported_text(link), uses = input->linked_before_uses;
    uint32_t files = input->opened_count, hosts = input->host_object_count;
    bool had_silent = input->has_silent_host_object, had_unusable = input->has_unusable_code;
    input->has_silent_host_object = input->has_unusable_code = false;
    open_bytes(link, file);
    file->opened = (struct opened_file){
        .is_silent = reported_text(link) == text && !input->has_broken_input &&
                     !input->has_unusable_code && input->opened_count == files &&
                     input->linked_before_uses == uses,
        .has_silent_host_object = input->has_silent_host_object,
        .host_object_count = input->host_object_count - hosts,
        .hosts_before = hosts,
    };
    input->has_silent_host_object |= had_silent;
    input->has_unusable_code |= had_unusable;
}

static void open_unless_known(link_context *link, struct input_file *file)
{
    if (file->shared && take_shared_units(link, file))
        return;
    if (!file->is_looked_for)
        open_bytes(link, file);
    else if (!take_snapshot_units(link, file))
        open_and_note(link, file);
}

void open_file(link_context *link, struct input_file *file)
{
    if (is_opened_archive(link, file))
        return;
    file->first_unit = link->units_count;
    prepared_input_find(link, file);
    open_unless_known(link, file);
    file->units_count = link->units_count - file->first_unit;
    for (uint32_t i = 0; i < file->units_count; i++)
        link->units[file->first_unit + i]->file = file;
}

void pass_open_inputs(link_context *link)
{
    for (size_t i = 0; i < link->input->files_count && !link->input->has_broken_input; i++)
        open_file(link, link->input->files[i]);
    link->input->opens_libraries = true;
    for (size_t i = 0; i < link->input->libraries_count && !link->input->has_broken_input; i++)
        open_file(link, link->input->libraries[i]);
    skip_linked_units(link);
}
