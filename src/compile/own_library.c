/* Recognises the libraries of warpld; see own_library.h. */
#include "compile/own_library.h"

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

static bool read_at(FILE *file, uint64_t offset, void *out, size_t size)
{
    return offset <= INT64_MAX && !fseeko(file, (off_t)offset, SEEK_SET) &&
           fread(out, size, 1, file) == 1;
}

static bool read_section(FILE *file, const Elf64_Ehdr *header, unsigned index, Elf64_Shdr *section)
{
    return read_at(file, header->e_shoff + (uint64_t)index * sizeof *section, section,
                   sizeof *section);
}

static bool has_own_section(FILE *file, const Elf64_Ehdr *header)
{
    char name[sizeof OWN_LIBRARY_SECTION];
    Elf64_Shdr names, section;
    if (!read_section(file, header, header->e_shstrndx, &names))
        return false;
    for (unsigned i = 1; i < header->e_shnum; i++)
        if (read_section(file, header, i, &section) &&
            read_at(file, names.sh_offset + section.sh_name, name, sizeof name) &&
            !memcmp(name, OWN_LIBRARY_SECTION, sizeof name))
            return true;
    return false;
}

enum library_kind library_kind(const char *path)
{
    Elf64_Ehdr header;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return NO_LIBRARY;
    bool is_library = read_at(file, 0, &header, sizeof header) &&
                      !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN;
    bool is_own = is_library && has_own_section(file, &header);
    fclose(file);
    if (!is_library)
        return NO_LIBRARY;
    return is_own ? OWN_LIBRARY : OTHER_LIBRARY;
}
