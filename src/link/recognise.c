/* What a file that is no device ELF is, from its first bytes; see recognise.h. */
#include "link/recognise.h"

#include <string.h>

#include "format/elf.h"

#define FATBIN_MAGIC UINT32_C(0xba55ed50) /* first word of what fatbinary 13.0.88 writes */

static bool begins_with(struct bytes file, const char *text)
{
    size_t size = strlen(text);
    return file.size >= size && !memcmp(file.data, text, size);
}

/* PTX must state its version before anything else; only comments may stand before it. */
static bool is_ptx(struct bytes file)
{
    static const char DIRECTIVE[] = ".version";
    enum { SEARCHED = 4096, LENGTH = sizeof DIRECTIVE - 1 };
    uint64_t end = file.size < SEARCHED ? file.size : SEARCHED;
    for (uint64_t i = 0; i + LENGTH <= end; i++)
        if ((i == 0 || file.data[i - 1] == '\n') && !memcmp(file.data + i, DIRECTIVE, LENGTH))
            return true;
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Host objects                                                                                  */

/* Offsets in the headers of a 64-bit ELF of any machine. */
enum { E_SHOFF = 40, E_SHNUM = 60, E_SHSTRNDX = 62, SH_OFFSET = 24, SH_SIZE = 32 };

static bool is_little_endian_elf64(struct bytes file)
{
    return file.size >= ELF_HEADER_SIZE && begins_with(file, "\177ELF") &&
           file.data[EI_CLASS] == ELFCLASS64 && file.data[EI_DATA] == ELFDATA2LSB;
}

/* The name of a section, as far as it lies inside the file. */
static struct bytes section_name(struct bytes names, const uint8_t *header)
{
    struct bytes name = {NULL, 0};
    uint32_t offset = load_u32(header);
    if (offset < names.size)
        bytes_part(names, offset, names.size - offset, &name);
    return name;
}

static bool is_called(struct bytes name, const char *text)
{
    size_t size = strlen(text) + 1;
    return name.size >= size && !memcmp(name.data, text, size);
}

/* nvcc puts the fat binary of an object into one of these sections. */
static bool has_fatbin_section(struct bytes file)
{
    struct bytes table, names;
    uint64_t count = load_u16(file.data + E_SHNUM), index = load_u16(file.data + E_SHSTRNDX);
    if (index >= count ||
        !bytes_part(file, load_u64(file.data + E_SHOFF), count * ELF_SECTION_HEADER_SIZE, &table))
        return false;
    const uint8_t *strings = table.data + index * ELF_SECTION_HEADER_SIZE;
    if (!bytes_part(file, load_u64(strings + SH_OFFSET), load_u64(strings + SH_SIZE), &names))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        struct bytes name = section_name(names, table.data + i * ELF_SECTION_HEADER_SIZE);
        if (is_called(name, ".nv_fatbin") || is_called(name, "__nv_relfatbin"))
            return true;
    }
    return false;
}

const char *container_of_device_code(struct bytes file)
{
    if (file.size >= 4 && load_u32(file.data) == FATBIN_MAGIC)
        return "a fat binary";
    if (begins_with(file, "!<arch>\n"))
        return "an archive";
    if (is_little_endian_elf64(file) && has_fatbin_section(file))
        return "a host object with device code";
    return is_ptx(file) ? "PTX text" : NULL;
}
