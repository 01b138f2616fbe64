/* Recognises files that cannot be linked, and finds signs of device code in such files; see
 * file_kind.h. */
#define _GNU_SOURCE /* memmem */
#include "format/recognise/file_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "format/elf.h"
#include "format/elf_view.h"

static bool begins_with(struct bytes file, const char *start, size_t size)
{
    return file.size >= size && !memcmp(file.data, start, size);
}

bool file_kind_is_lto_ir(struct bytes file)
{
    return begins_with(file, LTO_IR_MAGIC, sizeof LTO_IR_MAGIC - 1);
}

const char *file_kind_by_magic(struct bytes file)
{
    static const struct kind {
        /* Not pointers, because pointers need a relocation at each start of the program: */
        char magic[32];
        size_t size;
        char text[48];
    } KINDS[] = {
#define FILE_KIND(magic, size, text) {magic, size, text},
#include "format/recognise/file_kinds.def"
#undef FILE_KIND
    };
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++)
        if (begins_with(file, KINDS[i].magic, KINDS[i].size))
            return KINDS[i].text;
    return NULL;
}

bool file_kind_is_text(struct bytes file)
{
    enum { LOOKED_AT = 4096 };
    for (uint64_t i = 0; i < file.size && i < LOOKED_AT; i++) {
        uint8_t byte = file.data[i];
        if (byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\f')
            return false;
    }
    return true;
}

const char *file_kind(struct bytes file)
{
    const char *kind = file_kind_by_magic(file);
    if (!file.size)
        return "empty";
    if (kind)
        return kind;
    if (elf_identify(file) == ELF_KIND_FOREIGN)
        return "an ELF file for the host, without device code that can be linked";
    return file_kind_is_text(file) ? "text" : "data of an unknown kind";
}

/* Returns true if the file looks like a fat binary whose magic is damaged: the bytes after the
 * magic are the version and the header size of a fat binary, and the contents end at the end of the
 * file. */
static bool is_like_fatbin(struct bytes file)
{
    static const uint8_t VERSION_AND_SIZE[] = {1, 0, 16, 0};
    enum { MAGIC_SIZE = 4, HEADER_SIZE = 16, CONTENT_SIZE_OFFSET = 8 };
    return file.size > HEADER_SIZE &&
           !memcmp(file.data + MAGIC_SIZE, VERSION_AND_SIZE, sizeof VERSION_AND_SIZE) &&
           load_u64(file.data + CONTENT_SIZE_OFFSET) == file.size - HEADER_SIZE;
}

bool has_type_of_object(struct bytes file)
{
    enum { TYPE_OFFSET = 16 };
    return elf_identify(file) == ELF_KIND_NOT_ELF && file.size >= TYPE_OFFSET + 2 &&
           load_u16(file.data + TYPE_OFFSET) == ET_REL;
}

const char *device_code_trace(struct bytes file)
{
    static const struct mark {
        const char *bytes;
        size_t size;
        const char *text;
    } MARKS[] = {
        {"\x50\xed\x55\xba\1\0", 6, "the beginning of a fat binary"},
        {".nvFatBinSegment", 16, "the name .nvFatBinSegment"},
        {"__nv_module_id", 14, "the name __nv_module_id"},
        {"__nv_relfatbin", 14, "the name __nv_relfatbin"},
        {".nv.callgraph", 13, "the name .nv.callgraph"},
        {".nv.info", 8, "the name .nv.info"},
    };
    if (!file.size || file_kind_is_text(file))
        return NULL;
    if (is_like_fatbin(file))
        return "all of a fat binary but its magic bytes";
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (memmem(file.data, (size_t)file.size, MARKS[i].bytes, MARKS[i].size))
            return MARKS[i].text;
    return NULL;
}
