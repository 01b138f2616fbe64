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

/* A place as a pattern with the library's name; empty if its variable is not set. */
static void format_pattern(char *pattern, size_t size, const char *variable, const char *place)
{
    const char *folder = variable ? getenv(variable) : "";
    unsigned major = jit_release.major;
    bool is_folder = *place && place[strlen(place) - 1] == '/';
    const char *number = strstr(place, "%u");
    *pattern = '\0';
    if (!folder || (variable && !*folder))
        return;
    int before = number ? (int)(number - place) : (int)strlen(place);
    snprintf(pattern, size, "%s%.*s", folder, before, place);
    size_t used = strlen(pattern);
    if (number)
        used += (size_t)snprintf(pattern + used, size - used, "%u%s", major, number + 2);
    if (is_folder && used < size)
        snprintf(pattern + used, size - used, "%s", jit_release.soname);
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
    char pattern[4096];
    char *found = NULL;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && !found; i++) {
        format_pattern(pattern, sizeof pattern, PLACES[i].variable, PLACES[i].pattern);
        if (!*pattern)
            continue;
        if (tried)
            jit_log_print(tried, "%s %s", tried->size ? "," : "", pattern);
        found = search_pattern(pattern);
    }
    return found;
}
