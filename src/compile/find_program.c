/* Where the compilers of a toolkit are installed; see find_program.h. */
#include "compile/find_program.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compile/process.h"

static bool is_program(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static void try_folder(struct program_search *search, const char *folder, size_t size,
                       const char *below)
{
    if (search->found || !folder || !size)
        return;
    const char *path = arena_format(search->arena, "%.*s%s/ptxas", (int)size, folder, below);
    if (is_program(path))
        search->found = process_file_name(search->arena, path);
    else
        *ARENA_APPEND(search->arena, search, tried) = path;
}

static void try_path(struct program_search *search, const char *path)
{
    while (path && *path) {
        size_t size = strcspn(path, ":");
        try_folder(search, path, size, "");
        path += size + (path[size] == ':');
    }
}

static size_t size_of(const char *folder)
{
    return folder ? strlen(folder) : 0;
}

void find_ptxas(struct program_search *search, const struct ptx_compiler_settings *settings)
{
    const char *chosen = settings->ptxas;
    if (chosen) {
        if (is_program(chosen))
            search->found = process_file_name(search->arena, chosen);
        else if (*chosen)
            *ARENA_APPEND(search->arena, search, tried) = chosen;
        return;
    }
    for (size_t i = 0; i < sizeof settings->toolkits / sizeof *settings->toolkits; i++)
        try_folder(search, settings->toolkits[i], size_of(settings->toolkits[i]), "/bin");
    try_folder(search, settings->own_folder, size_of(settings->own_folder), "");
    try_path(search, settings->path);
}

const char *program_search_tried(const struct program_search *search)
{
    return search->tried_count
               ? arena_join_all(search->arena, search->tried, search->tried_count, ", ")
               : "no folder";
}
