/* Finds NVIDIA's library; see nvidia_search.h.
 *
 * Ours has the same name and may be installed in its place, or several times. It is known by the
 * section OWN_SECTION, which this file is marked with: it can be read without loading the library,
 * and is no exported name. */
#include "nvjitlink/nvidia_search.h"

#include <elf.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink/release.h"
#include "warpld.h"

#define OWN_SECTION ".warpld.nvjitlink"
__attribute__((used, section(OWN_SECTION))) static const char OWN_MARK[] =
    "libwarpld " WARPLD_VERSION;

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
    char name[sizeof OWN_SECTION];
    Elf64_Shdr names, section;
    if (!read_section(file, header, header->e_shstrndx, &names))
        return false;
    for (unsigned i = 1; i < header->e_shnum; i++)
        if (read_section(file, header, i, &section) &&
            read_at(file, names.sh_offset + section.sh_name, name, sizeof name) &&
            !memcmp(name, OWN_SECTION, sizeof name))
            return true;
    return false;
}

/* A library for this machine that is not ours. */
static bool is_nvidias(const char *path)
{
    Elf64_Ehdr header;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    bool is_library = read_at(file, 0, &header, sizeof header) &&
                      !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
                      header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_type == ET_DYN;
    bool is_other = is_library && !has_own_section(file, &header);
    fclose(file);
    return is_other;
}

/* The library in a place, as a pattern. Returns false if the variable is not set. */
static bool format_pattern(char *pattern, size_t size, const char *variable, const char *place)
{
    const char *folder = variable ? getenv(variable) : "";
    const char *number = strstr(place, "%u");
    if (!folder || (variable && !*folder))
        return false;
    if (number)
        snprintf(pattern, size, "%s%.*s%u%s/%s", folder, (int)(number - place), place,
                 jit_release.major, number + 2, jit_release.soname);
    else
        snprintf(pattern, size, "%s%s/%s", folder, place, jit_release.soname);
    return true;
}

/* The last match of the pattern that is NVIDIA's. */
static char *search_pattern(const char *pattern)
{
    glob_t matches;
    char *found = NULL;
    if (glob(pattern, 0, NULL, &matches))
        return NULL;
    for (size_t i = matches.gl_pathc; i-- && !found;) {
        const char *path = matches.gl_pathv[i];
        if (is_nvidias(path))
            found = realpath(path, NULL);
    }
    globfree(&matches);
    return found;
}

/* Searches one place. */
static char *try_pattern(const char *pattern, struct jit_log *tried)
{
    if (tried && *pattern && (!tried->size || !strstr(tried->text, pattern)))
        jit_log_print(tried, "%s %s", tried->size ? "," : "", pattern);
    return search_pattern(pattern);
}

char *nvidia_search(struct jit_log *tried)
{
    static const struct place {
        const char *variable;
        const char *pattern;
    } PLACES[] = {
#define PLACE(variable, pattern) {variable, pattern},
#include "nvjitlink/places.def"
#undef PLACE
    };
    const char *chosen = getenv("WARPLD_NVJITLINK");
    if (chosen)
        return try_pattern(chosen, tried);
    char pattern[4096];
    char *found = NULL;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !found; i++)
        if (format_pattern(pattern, sizeof pattern, PLACES[i].variable, PLACES[i].pattern))
            found = try_pattern(pattern, tried);
    return found;
}
