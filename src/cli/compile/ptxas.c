/* Compiles PTX with an external ptxas; see ptxas.h.
 *
 * Each text is compiled in a folder of its own inside a private temporary one, several at once. The
 * file is called what nvlink's built-in compiler calls it, so that messages read the same. No shell
 * takes part. Signals that end the program wait until the folders are gone; the compilers get them,
 * so the wait is short. */
#include "cli/compile/ptxas.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"
#include "cli/compile/process.h"
#include "cli/compile/ptxas_messages.h"
#include "cli/compile/ptxas_options.h"
#include "cli/options/threads.h"

/* Without -o ptxas writes to elf.o. */
static const char SOURCE[] = "application ptx input", OUTPUT[] = "elf.o", MESSAGES[] = "messages";

/* --------------------------------------------------------------------------------------------- */
/* Where ptxas is                                                                                */

static bool is_program(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

/* Places in the order in which they are tried, and what was tried, for the message. */
struct program_search {
    struct arena *arena;
    const char *found;
    GROWING_ARRAY(const char *, tried);
};

static void try_place(struct program_search *search, const char *folder, size_t size,
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

static void try_variable(struct program_search *search, const char *variable)
{
    const char *folder = getenv(variable);
    if (folder)
        try_place(search, folder, strlen(folder), "/bin");
}

/* The toolkit in whose folder this program was put. */
static void try_beside(struct program_search *search)
{
    char self[PATH_MAX];
    ssize_t size = readlink("/proc/self/exe", self, sizeof self);
    while (size > 0 && self[size - 1] != '/')
        size--;
    if (size > 1)
        try_place(search, self, (size_t)size - 1, "");
}

static void try_path(struct program_search *search)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t size = strcspn(path, ":");
        try_place(search, path, size, "");
        path += size + (path[size] == ':');
    }
}

static const char *places_tried(const struct program_search *search)
{
    return search->tried_count
               ? arena_join_all(search->arena, search->tried, search->tried_count, ", ")
               : "it in no place";
}

/* The program to run, NULL after complaining that there is none. */
static const char *find_program(struct ptxas *ptxas)
{
    struct program_search search = {.arena = ptxas->arena};
    const char *chosen = command_line_text(ptxas->line, OPTION_PTXAS_PATH);
    if (chosen) {
        if (is_program(chosen))
            return process_file_name(ptxas->arena, chosen);
        if (*chosen)
            *ARENA_APPEND(ptxas->arena, &search, tried) = chosen;
    } else {
        try_variable(&search, "CUDA_HOME");
        try_variable(&search, "CUDA_PATH");
        try_beside(&search);
        try_path(&search);
    }
    if (!search.found)
        ptxas->complain(ptxas->context,
                        arena_format(ptxas->arena, "No ptxas to compile PTX with; looked for %s",
                                     places_tried(&search)));
    return search.found;
}

/* --------------------------------------------------------------------------------------------- */
/* Running it                                                                                    */

struct compilation {
    const struct warpld_compile_request *request;
    struct arena *arena;
    const char *folder;
    pid_t process;
    double milliseconds; /* that it took */
    bool runs;
    bool succeeded;
    /* What there is to tell of it. */
    GROWING_ARRAY(const char *, refused); /* options */
    const char *problem;                  /* why ptxas could not be run */
    struct bytes messages;                /* of ptxas */
};

struct batch {
    struct ptxas *ptxas;
    const char *program;
    const char *folder;
    struct compilation *compilations;
    size_t count;
    sigset_t outside; /* the signals that were blocked before */
};

/* 0 or an errno. */
static int write_source(struct batch *batch, struct compilation *compilation, size_t index)
{
    const struct warpld_compile_request *request = compilation->request;
    struct arena *arena = batch->ptxas->arena;
    compilation->folder = arena_format(arena, "%s/%zu", batch->folder, index);
    if (mkdir(compilation->folder, 0700))
        return errno;
    const char *path = arena_format(arena, "%s/%s", compilation->folder, SOURCE);
    struct bytes text = {(const uint8_t *)request->ptx, request->ptx_size};
    return file_replace(path, text);
}

static void refuse_option(void *context, const char *word)
{
    struct compilation *compilation = context;
    *ARENA_APPEND(compilation->arena, compilation, refused) = word;
}

static bool is_for_debugging(const struct argument_list *list)
{
    for (size_t i = 0; i < list->words_count; i++)
        if (!strcmp(list->words[i], "-g") || !strcmp(list->words[i], "--device-debug"))
            return true;
    return false;
}

/* With -g ptxas records the names of its files. nvlink's compiler has none: it takes the text as a
 * word, as far as a word can hold it. */
static void add_source(struct argument_list *list, struct arena *arena,
                       const struct warpld_compile_request *request)
{
    enum { LONGEST_WORD = 128 * 1024 - 1 }; /* of Linux, without the NUL */
    bool is_word = is_for_debugging(list) && request->ptx_size <= LONGEST_WORD;
    if (is_word)
        *ARENA_APPEND(arena, list, words) = "--input-as-string";
    *ARENA_APPEND(arena, list, words) =
        is_word ? arena_copy_string(arena, request->ptx, request->ptx_size) : SOURCE;
}

/* The options that nvlink's built-in compiler records, those that come with the text, and those of
 * the link's command line. */
static const char **command_line(struct batch *batch, struct compilation *compilation)
{
    const struct warpld_compile_request *request = compilation->request;
    struct arena *arena = batch->ptxas->arena;
    const char *words[] = {batch->program, "-arch", request->architecture, "-m", "64", "-c"};
    struct argument_list list = {.words = NULL};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *ARENA_APPEND(arena, &list, words) = words[i];
    if (request->debug)
        *ARENA_APPEND(arena, &list, words) = "-g";
    if (request->options)
        ptxas_options_add(&list, arena, request->options, refuse_option, compilation);
    ptxas_options_add_chosen(&list, arena, batch->ptxas->line);
    add_source(&list, arena, request);
    *ARENA_APPEND(arena, &list, words) = NULL;
    return list.words;
}

static bool start(struct batch *batch, size_t index)
{
    struct compilation *compilation = &batch->compilations[index];
    const char **words = command_line(batch, compilation);
    struct process_plan plan = {words, NULL, MESSAGES, &batch->outside};
    const char *failed = "write the text for";
    int error = write_source(batch, compilation, index);
    if (!error) {
        failed = "run";
        plan.folder = compilation->folder;
        error = process_start(&plan, &compilation->process);
    }
    compilation->runs = !error;
    if (error)
        compilation->problem = arena_format(compilation->arena, "Could not %s '%s': %s", failed,
                                            batch->program, strerror(error));
    return !error;
}

static void wait_for(struct compilation *compilation)
{
    if (compilation->runs)
        compilation->succeeded = process_wait(compilation->process, &compilation->milliseconds);
    compilation->runs = false;
}

/* At most as many at once as the link may have threads. */
static void run_all(struct batch *batch)
{
    size_t at_once = threads_of(batch->ptxas->line);
    for (size_t i = 0; i < batch->count; i++) {
        if (i >= at_once)
            wait_for(&batch->compilations[i - at_once]);
        if (!start(batch, i))
            break;
    }
    for (size_t i = 0; i < batch->count; i++)
        wait_for(&batch->compilations[i]);
}

/* --------------------------------------------------------------------------------------------- */
/* Results                                                                                       */

/* A copy, because the file goes away. */
static void take_output(const struct batch *batch, const struct compilation *compilation,
                        struct warpld_compile_result *result)
{
    struct arena *arena = batch->ptxas->arena;
    struct mapped_file file;
    if (!compilation->succeeded ||
        file_map(&file, arena_format(arena, "%s/%s", compilation->folder, OUTPUT)))
        return;
    void *copy = malloc((size_t)file.bytes.size + 1);
    if (copy && file.bytes.size) {
        memcpy(copy, file.bytes.data, (size_t)file.bytes.size);
        result->cubin = copy;
        result->cubin_size = (size_t)file.bytes.size;
    } else {
        free(copy);
    }
    file_unmap(&file);
}

/* A copy, too. */
static void take_messages(struct compilation *compilation)
{
    struct arena *arena = compilation->arena;
    struct mapped_file file;
    if (!compilation->folder ||
        file_map(&file, arena_format(arena, "%s/%s", compilation->folder, MESSAGES)))
        return;
    compilation->messages = ptxas_messages_copy(arena, file.bytes);
    file_unmap(&file);
}

void ptxas_report(void *context, size_t index)
{
    const struct ptxas *ptxas = context;
    if (!ptxas->compilations) /* none was begun, as was told */
        return;
    const struct compilation *compilation = &ptxas->compilations[index];
    for (size_t i = 0; i < compilation->refused_count; i++)
        ptxas->warn(ptxas->context,
                    arena_format(ptxas->arena, "PTX asks for '%s', which is not passed on to ptxas",
                                 compilation->refused[i]));
    if (compilation->problem)
        ptxas->complain(ptxas->context, compilation->problem);
    if (compilation->messages.size)
        ptxas->pass_on(ptxas->context, (const char *)compilation->messages.data,
                       (size_t)compilation->messages.size);
}

static void tell_times(const struct batch *batch)
{
    const struct ptxas *ptxas = batch->ptxas;
    for (size_t i = 0; i < batch->count && ptxas->compiled; i++)
        if (batch->compilations[i].succeeded)
            ptxas->compiled(ptxas->context, batch->compilations[i].request,
                            batch->compilations[i].milliseconds);
}

static void remove_folders(const struct batch *batch)
{
    struct arena *arena = batch->ptxas->arena;
    for (size_t i = 0; i < batch->count; i++) {
        const char *folder = batch->compilations[i].folder;
        if (!folder)
            continue;
        unlink(arena_format(arena, "%s/%s", folder, SOURCE));
        unlink(arena_format(arena, "%s/%s", folder, OUTPUT));
        unlink(arena_format(arena, "%s/%s", folder, MESSAGES));
        rmdir(folder);
    }
    rmdir(batch->folder);
}

static const char *make_folder(struct ptxas *ptxas)
{
    const char *parent = getenv("TMPDIR");
    char *name =
        arena_format(ptxas->arena, "%s/warpld-XXXXXX", parent && *parent ? parent : "/tmp");
    if (mkdtemp(name))
        return name;
    ptxas->complain(ptxas->context,
                    arena_format(ptxas->arena, "Could not make a temporary folder '%s': %s", name,
                                 strerror(errno)));
    return NULL;
}

static void hold_signals(sigset_t *outside)
{
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, outside);
}

void ptxas_compile(void *context, const struct warpld_compile_request *requests,
                   struct warpld_compile_result *results, size_t count)
{
    struct ptxas *ptxas = context;
    struct batch batch = {.ptxas = ptxas, .count = count};
    if (count)
        results[0].problem = ptxas_options_problem(ptxas->line);
    if (count && results[0].problem)
        return;
    batch.program = find_program(ptxas);
    if (!batch.program)
        return;
    hold_signals(&batch.outside);
    batch.folder = make_folder(ptxas);
    if (batch.folder) {
        batch.compilations = ARENA_ARRAY(ptxas->arena, struct compilation, count);
        for (size_t i = 0; i < count; i++) {
            batch.compilations[i].request = &requests[i];
            batch.compilations[i].arena = ptxas->arena;
        }
        run_all(&batch);
        for (size_t i = 0; i < count; i++) {
            take_messages(&batch.compilations[i]);
            take_output(&batch, &batch.compilations[i], &results[i]);
            if (!results[i].cubin && ptxas_failed_behind_text(batch.compilations[i].messages))
                results[i].problem = "elfLink JIT compile failed"; /* as nvlink says it */
        }
        ptxas->compilations = batch.compilations;
        tell_times(&batch);
        remove_folders(&batch);
    }
    sigprocmask(SIG_SETMASK, &batch.outside, NULL);
}

void ptxas_release(void *context, struct warpld_compile_result *results, size_t count)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        free((void *)results[i].cubin);
}
