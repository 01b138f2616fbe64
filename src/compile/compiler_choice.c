/* Chooses the compiler; see compiler_choice.h. */
#include "compile/compiler_choice.h"

#include <string.h>

#include "compile/find_program.h"
#include "compile/process.h"
#include "compile/ptx_plugin.h"

static const char NVPTXCOMPILER[] = "libwarpld-nvptxcompiler.so";
static const char NVJITLINK[] = "libnvJitLink.so.13";
static const char HELPER[] = "warpld-ptx-helper";

struct choosing {
    struct compiler_choice *choice;
    struct arena *arena;
    const struct ptx_compiler_settings *settings;
    struct program_search search; /* records all paths that are tried */
};

/* Loads the library, or has the helper check that it can be loaded. Returns NULL, or why it cannot
 * be used. */
static const char *problem_of_library(void *context, const char *path)
{
    struct choosing *choosing = context;
    const struct ptx_plugin_loader *loader = choosing->settings->loader;
    const char *program = choosing->choice->program;
    char problem[512] = "";
    if (loader) {
        choosing->choice->plugin = loader->open(path, problem, sizeof problem);
        return choosing->choice->plugin
                   ? NULL
                   : arena_copy_string(choosing->arena, problem, strlen(problem));
    }
    const char *arguments[] = {program, path, NULL};
    struct process_plan plan = {.arguments = arguments};
    const char *text = process_answer(choosing->arena, &plan, PROCESS_OUTPUT);
    if (!text)
        return "the helper cannot load it";
    return *text ? arena_copy_string(choosing->arena, text, strcspn(text, "\n")) : NULL;
}

/* Whether libraries can be loaded. A program without a loader needs the helper for this, which is
 * installed in the same folder. */
static bool can_load(struct choosing *choosing)
{
    struct program_search search = {.arena = choosing->arena};
    if (choosing->settings->loader)
        return true;
    find_own_program(&search, choosing->settings, HELPER);
    choosing->choice->program = search.found;
    if (!search.found)
        *ARENA_APPEND(choosing->arena, &choosing->search, tried) = program_search_tried(&search);
    return search.found;
}

/* Tries a library of this name, or at this path. */
static void try_library(struct choosing *choosing, const char *name)
{
    struct program_search *search = &choosing->search;
    if (search->found || !can_load(choosing))
        return;
    search->problem_of = problem_of_library;
    search->context = choosing;
    if (strchr(name, '/'))
        find_at(search, name);
    else
        find_library(search, choosing->settings, name);
    search->problem_of = NULL;
    choosing->choice->library = search->found;
    if (!search->found)
        choosing->choice->program = NULL;
}

static void try_ptxas(struct choosing *choosing, const char *path)
{
    struct program_search *search = &choosing->search;
    if (search->found)
        return;
    if (path)
        find_at(search, path);
    else
        find_ptxas(search, choosing->settings);
    choosing->choice->program = search->found;
}

/* Tries the file as a library if its name contains ".so", and as a program otherwise. */
static void try_file(struct choosing *choosing, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strstr(slash ? slash : path, ".so"))
        try_library(choosing, process_file_name(choosing->arena, path));
    else
        try_ptxas(choosing, path);
}

/* nvJitLink is the last choice: it also links the object that it compiles, and resolves values that
 * are not final yet. See docs/ptx-compilers.md. */
static void try_all(struct choosing *choosing)
{
    try_library(choosing, NVPTXCOMPILER);
    try_ptxas(choosing, NULL);
    try_library(choosing, NVJITLINK);
}

static void try_chosen(struct choosing *choosing, const char *chosen)
{
    if (!strcmp(chosen, "auto"))
        try_all(choosing);
    else if (!strcmp(chosen, "process"))
        try_ptxas(choosing, NULL);
    else if (!strcmp(chosen, "nvptxcompiler"))
        try_library(choosing, NVPTXCOMPILER);
    else if (!strcmp(chosen, "nvjitlink"))
        try_library(choosing, NVJITLINK);
    else
        try_file(choosing, chosen);
}

const char *compiler_choose(struct compiler_choice *choice, struct arena *arena,
                            const struct ptx_compiler_settings *settings)
{
    struct choosing choosing = {choice, arena, settings, {.arena = arena}};
    const char *chosen = settings->choice && *settings->choice ? settings->choice : "auto";
    const char *remedy = settings->remedy ? settings->remedy : "name it with --ptxas-path";
    bool is_ptxas = !strcmp(chosen, "process") || !strcmp(chosen, "auto");
    *choice = (struct compiler_choice){.program = NULL};
    try_chosen(&choosing, chosen);
    if (choosing.search.found)
        return NULL;
    return arena_format(arena, "Cannot find %s (tried %s); %s",
                        is_ptxas ? "ptxas to compile PTX" : "the chosen PTX compiler",
                        program_search_tried(&choosing.search), remedy);
}
