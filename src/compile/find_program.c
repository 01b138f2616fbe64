/* Finds the compilers of a toolkit; see find_program.h. */
#include "compile/find_program.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "compile/process.h"

static bool is_program(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static void record(struct program_search *search, const char *path, const char *problem)
{
    *ARENA_APPEND(search->arena, search, tried) =
        problem ? arena_format(search->arena, "%s: %s", path, problem) : path;
}

void find_at(struct program_search *search, const char *path)
{
    const char *problem = NULL;
    bool is_usable = search->problem_of ? file_exists(path) : is_program(path);
    if (search->found)
        return;
    path = is_usable ? process_file_name(search->arena, path) : path;
    if (is_usable && search->problem_of)
        problem = search->problem_of(search->context, path);
    if (is_usable && !problem)
        search->found = path;
    else
        record(search, path, problem);
}

static void try_folder(struct program_search *search, const char *folder, size_t size,
                       const char *below)
{
    if (!search->found && folder && size)
        find_at(search, arena_format(search->arena, "%.*s%s", (int)size, folder, below));
}

/* Tries the file `below` each folder of `path`, a list that is separated by colons. */
static void try_path(struct program_search *search, const char *path, const char *below)
{
    while (path && *path) {
        size_t size = strcspn(path, ":");
        try_folder(search, path, size, below);
        path += size + (path[size] == ':');
    }
}

static size_t size_of(const char *folder)
{
    return folder ? strlen(folder) : 0;
}

static void try_toolkits(struct program_search *search,
                         const struct ptx_compiler_settings *settings, const char *below)
{
    for (size_t i = 0; i < sizeof settings->toolkits / sizeof *settings->toolkits; i++)
        try_folder(search, settings->toolkits[i], size_of(settings->toolkits[i]), below);
}

void find_toolkit_program(struct program_search *search,
                          const struct ptx_compiler_settings *settings, const char *name)
{
    try_toolkits(search, settings, arena_join(search->arena, "/bin/", name));
    find_own_program(search, settings, name);
    try_path(search, settings->path, arena_join(search->arena, "/", name));
}

void find_ptxas(struct program_search *search, const struct ptx_compiler_settings *settings)
{
    const char *chosen = settings->ptxas;
    if (!chosen)
        find_toolkit_program(search, settings, "ptxas");
    else if (*chosen)
        find_at(search, chosen);
}

void find_own_program(struct program_search *search, const struct ptx_compiler_settings *settings,
                      const char *name)
{
    try_folder(search, settings->own_folder, size_of(settings->own_folder),
               arena_join(search->arena, "/", name));
}

void find_library(struct program_search *search, const struct ptx_compiler_settings *settings,
                  const char *name)
{
    struct arena *arena = search->arena;
    find_own_program(search, settings, name);
    try_folder(search, settings->own_folder, size_of(settings->own_folder),
               arena_join(arena, "/../lib/", name));
    try_path(search, settings->library_path, arena_join(arena, "/", name));
    try_toolkits(search, settings, arena_join(arena, "/lib64/", name));
}

const char *program_search_tried(const struct program_search *search)
{
    return search->tried_count
               ? arena_join_all(search->arena, search->tried, search->tried_count, ", ")
               : "no folder";
}
