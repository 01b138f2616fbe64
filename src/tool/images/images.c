/* Finds the device code in a file; see images.h. */
#include "tool/images/images.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/stream_input.h"
#include "format/container/archive.h"
#include "format/container/fatbin.h"
#include "format/container/host_object.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/recognise/stream_limit.h"
#include "tool/decode/tool_error.h"
#include "tool/images/ptx_head.h"
#include "warpld.h"

/* --------------------------------------------------------------------------------------------- */
/* Images                                                                                        */

static void add_problem(struct image_file *file, const char *member, const char *text)
{
    *ARENA_APPEND(file->arena, file, problems) = (struct image_problem){member, text};
}

static struct image *add_image(struct image_file *file, enum image_kind kind, const char *member,
                               const char *section)
{
    struct image *image = ARENA_APPEND(file->arena, file, images);
    *image = (struct image){
        .number = file->images_count, .kind = kind, .member = member, .section = section};
    return image;
}

/* Reads the target of a cubin outside a fat binary from the ELF header. The header does not have
 * the suffix of the target ("a" or "f"): only fat binaries record it. */
static void read_target(struct image *image, struct bytes cubin)
{
    enum { FLAGS = 48, ABI_VERSION = 8 };
    if (cubin.size < ELF_HEADER_SIZE)
        return;
    struct elf_view header = {.flags = load_u32(cubin.data + FLAGS),
                              .abi = cubin.data[ABI_VERSION]};
    snprintf(image->architecture, sizeof image->architecture, "sm_%u", elf_view_sm(&header));
}

static void add_cubin(struct image_file *file, struct bytes bytes, const char *member)
{
    struct image *image = add_image(file, IMAGE_CUBIN, member, NULL);
    image->entry.payload = bytes;
    read_target(image, bytes);
}

static enum image_kind kind_of_entry(const struct fatbin_entry *entry)
{
    switch (entry->kind) {
    case FATBIN_PTX:
        return IMAGE_PTX;
    case FATBIN_ELF:
        return IMAGE_CUBIN;
    case FATBIN_LTO_IR:
        return IMAGE_LTO_IR;
    default:
        return IMAGE_UNKNOWN;
    }
}

static void name_target(struct image *image)
{
    static const char PREFIXES[][12] = {[IMAGE_CUBIN] = "sm",
                                        [IMAGE_PTX] = "compute",
                                        [IMAGE_LTO_IR] = "lto",
                                        [IMAGE_UNKNOWN] = "sm"};
    const struct fatbin_entry *entry = &image->entry;
    const char *suffix = entry->flags & FATBIN_ACCELERATED ? "a"
                         : entry->flags & FATBIN_FAMILY    ? "f"
                                                           : "";
    snprintf(image->architecture, sizeof image->architecture, "%s_%" PRIu32 "%s",
             PREFIXES[image->kind], entry->sm, suffix);
}

static void read_fatbin(struct image_file *file, struct bytes bytes, const char *member,
                        const char *section)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    fatbin_open(&fatbin, bytes);
    do {
        while (fatbin_next_entry(&fatbin, &entry)) {
            struct image *image = add_image(file, kind_of_entry(&entry), member, section);
            image->entry = entry;
            image->is_in_fatbin = true;
            name_target(image);
            if (image->kind == IMAGE_PTX)
                snprintf(image->ptx_version, sizeof image->ptx_version, "%u.%u", entry.major % 100U,
                         entry.minor % 100U);
        }
    } while (fatbin_next_container(&fatbin));
    if (fatbin.problem)
        add_problem(file, member, fatbin.problem);
}

static void read_host_object(struct image_file *file, struct bytes bytes, const char *member)
{
    struct host_object object;
    if (!host_object_open(bytes, &object)) {
        add_problem(file, member, "an ELF file whose sections cannot be read");
        return;
    }
    if (object.damage || object.trace)
        add_problem(file, member, object.damage ? object.damage : object.trace);
    if (object.relocatable_code.size)
        read_fatbin(file, object.relocatable_code, member, "__nv_relfatbin");
    if (object.linked_code.size)
        read_fatbin(file, object.linked_code, member, ".nv_fatbin");
}

/* Recognises PTX text and containers of LTO-IR. The library decides, so the linker and cubintool
 * agree. */
static enum warpld_content examine(struct bytes bytes)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct warpld_examined examined = {.size = sizeof examined};
    struct warpld_link *link;
    options.architecture = "sm_90"; /* required by warpld_create; does not affect the result */
    if (warpld_create(&options, &link) != WARPLD_OK)
        return WARPLD_CONTENT_UNKNOWN;
    enum warpld_status status = warpld_examine(link, bytes.data, (size_t)bytes.size, &examined);
    warpld_destroy(link);
    return status == WARPLD_OK ? examined.content : WARPLD_CONTENT_UNKNOWN;
}

static void add_ptx(struct image_file *file, struct bytes bytes, const char *member)
{
    struct image *image = add_image(file, IMAGE_PTX, member, NULL);
    struct ptx_head head;
    ptx_head_read(bytes, &head);
    image->entry.payload = bytes;
    memcpy(image->ptx_version, head.version, sizeof image->ptx_version);
    if (!strncmp(head.target, "sm_", 3))
        snprintf(image->architecture, sizeof image->architecture, "compute_%.7s", head.target + 3);
}

static void read_other(struct image_file *file, struct bytes bytes, const char *member)
{
    enum warpld_content content = examine(bytes);
    if (content == WARPLD_CONTENT_PTX)
        add_ptx(file, bytes, member);
    else if (content == WARPLD_CONTENT_LTO_IR)
        add_image(file, IMAGE_LTO_IR, member, NULL)->entry.payload = bytes;
    else if (!member) /* archives can contain files without device code */
        add_problem(file, member, "neither device code nor a file that can hold some");
}

/* Finds the images in a file or archive member that is not an archive. */
static void read_contents(struct image_file *file, struct bytes bytes, const char *member)
{
    enum elf_kind kind = elf_identify(bytes);
    if (fatbin_recognise(bytes))
        read_fatbin(file, bytes, member, NULL);
    else if (kind == ELF_KIND_DEVICE)
        add_cubin(file, bytes, member);
    else if (kind == ELF_KIND_DEVICE_32)
        add_problem(file, member, "a 32-bit device ELF, which is not supported");
    else if (kind == ELF_KIND_DEVICE_ABI)
        add_problem(file, member, "a device ELF of an unknown ABI");
    else if (kind == ELF_KIND_FOREIGN)
        read_host_object(file, bytes, member);
    else
        read_other(file, bytes, member);
}

/* --------------------------------------------------------------------------------------------- */
/* Archives                                                                                      */

/* The names of all members may have this number of bytes for each byte of the file. Valid archives
 * are far below this limit. In a damaged one, a million members can have one name of 4 KB, and an
 * archive can contain another one to a depth of a million, with a name for each level. */
enum { NAME_BYTES_PER_FILE_BYTE = 4 };

/* The nested archives that are being read; the innermost is the last. */
struct open_archives {
    struct arena *arena;
    uint64_t name_bytes; /* number of bytes that the names not yet read may have */
    GROWING_ARRAY(struct archive, archives);
    GROWING_ARRAY(const char *, names); /* name of each as a member; NULL for the outermost */
};

static void push(struct open_archives *open, struct bytes bytes, const char *name)
{
    archive_open(ARENA_APPEND(open->arena, open, archives), bytes);
    *ARENA_APPEND(open->arena, open, names) = name;
}

/* Returns the name of a member, or NULL if the names are too long in all. */
static const char *member_name(struct open_archives *open, const struct archive_member *member)
{
    const char *outer = open->names[open->names_count - 1];
    uint64_t size = (outer ? strlen(outer) + 1 : 0) + member->name.size + 1;
    if (size > open->name_bytes)
        return NULL;
    open->name_bytes -= size;
    const char *own =
        arena_copy_string(open->arena, (const char *)member->name.data, (size_t)member->name.size);
    return outer ? arena_format(open->arena, "%s:%s", outer, own) : own;
}

/* Reads a member. If the names are too long in all, ends the reading of all archives. */
static void read_member(struct image_file *file, struct open_archives *open,
                        const struct archive_member *member)
{
    const char *name = member_name(open, member);
    if (!name) {
        add_problem(file, NULL, "the names of its members are far too long in all");
        open->archives_count = open->names_count = 0;
        return;
    }
    if (member->is_external)
        add_problem(file, name, "a separate file, to which the thin archive only refers");
    else if (archive_recognise(member->contents))
        push(open, member->contents, name);
    else
        read_contents(file, member->contents, name);
}

/* Finds the images in an archive and in the archives that it contains, in the order of the file. */
static void read_archive(struct image_file *file, struct bytes bytes)
{
    struct open_archives open = {.arena = file->arena,
                                 .name_bytes = bytes.size * NAME_BYTES_PER_FILE_BYTE};
    push(&open, bytes, NULL);
    while (open.archives_count) {
        struct archive *archive = &open.archives[open.archives_count - 1];
        struct archive_member member;
        if (archive_next(archive, &member)) {
            read_member(file, &open, &member);
            continue;
        }
        if (archive->problem)
            add_problem(file, open.names[open.names_count - 1], archive->problem);
        open.archives_count--;
        open.names_count--;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Files                                                                                         */

bool image_file_open(struct image_file *file, const char *path, struct arena *arena)
{
    *file = (struct image_file){.path = strcmp(path, "-") != 0 ? path : "standard input",
                                .arena = arena};
    struct stream_input stream;
    bool is_read = stream_input_read(arena, path, stream_refusal, &stream);
    int error = is_read ? 0 : file_map(&file->file, path);
    if (error)
        tool_error("%s: %s", file->path, strerror(error));
    else if (is_read && stream.refusal)
        tool_error("%s", stream_input_problem(arena, file->path, &stream));
    if (error || stream.refusal)
        return false;
    if (is_read)
        file->file.bytes = stream.contents;
    if (archive_recognise(file->file.bytes))
        read_archive(file, file->file.bytes);
    else
        read_contents(file, file->file.bytes, NULL);
    return true;
}

void image_file_close(struct image_file *file)
{
    file_unmap(&file->file);
}

bool image_bytes(const struct image *image, struct arena *arena, struct bytes *bytes)
{
    *bytes = image->entry.payload;
    if (!image->is_in_fatbin || !fatbin_entry_is_packed(&image->entry))
        return true;
    if (!fatbin_unpacked_size_is_plausible(&image->entry))
        return false;
    uint8_t *unpacked = ARENA_ARRAY(arena, uint8_t, image->entry.unpacked_size);
    *bytes = (struct bytes){unpacked, image->entry.unpacked_size};
    struct fatbin_unpacker unpacker = {.zstandard = NULL};
    bool is_unpacked = fatbin_unpack(&unpacker, &image->entry, unpacked);
    fatbin_unpacker_destroy(&unpacker);
    return is_unpacked;
}
