/* The folder of --save-inputs; see save_inputs.h.
 *
 *     inputs/1-a.o       the inputs, numbered in the order of the command line; and the files of
 *                        --nv-host, --uidx-file and --limit
 *     libraries/2/libx.a a library that -l found, or skipped, in the second folder searched
 *     options/1-more     options files, for reference: their contents are in `arguments`
 *     arguments          the arguments of the command line, one per line, as an options file
 *     link.sh            the script that repeats the link
 *     output/            the files that the script writes
 *
 * The linker looks at two properties of an input's path: a file whose name ends in .cubin must hold
 * device code, and a file whose path contains libcudadevrt is the device runtime. The saved names
 * keep both properties.
 *
 * An archive that is named twice is linked only once. Therefore it is saved once, and its second
 * saved name is a symbolic link. */
#include "cli/save/save_inputs.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/file.h"
#include "cli/save/saved_archive.h"
#include "cli/save/saved_arguments.h"

static int fail(struct saved_link *saved, const char *path, int error)
{
    if (error)
        saved->failed_path = path;
    return error;
}

static int write_file(struct saved_link *saved, const char *name, struct bytes contents)
{
    const char *path = arena_format(saved->line->arena, "%s/%s", saved->folder, name);
    return fail(saved, path, file_replace(path, contents));
}

static int make_folder(struct saved_link *saved, const char *name)
{
    const char *path = arena_format(saved->line->arena, "%s/%s", saved->folder, name);
    return mkdir(path, 0777) && errno != EEXIST ? fail(saved, path, errno) : 0;
}

/* --------------------------------------------------------------------------------------------- */
/* The folder                                                                                    */

/* Creates a folder and its parents. It is no error if some or all of them exist. */
static int make_path(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int error = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
        *slash = '/';
        if (error)
            return error;
    }
    return mkdir(path, 0777) && errno != EEXIST ? errno : 0;
}

/* Chooses the folder: the first of FOLDER, FOLDER.2, FOLDER.3 and so on in which this process can
 * create `inputs`. Several links may be given the same folder, because nvcc links once for each
 * target, and builds run several links at once. */
static int choose_folder(struct saved_link *saved)
{
    enum { MOST_LINKS = 100000 };
    struct arena *arena = saved->line->arena;
    const char *wanted = command_line_text(saved->line, OPTION_SAVE_INPUTS);
    for (int number = 1; number < MOST_LINKS; number++) {
        char *path = number == 1 ? arena_format(arena, "%s", wanted)
                                 : arena_format(arena, "%s.%d", wanted, number);
        int error = make_path(path);
        if (error)
            return fail(saved, path, error);
        if (!mkdir(arena_format(arena, "%s/inputs", path), 0777)) {
            saved->folder = path;
            return 0;
        }
        if (errno != EEXIST)
            return fail(saved, path, errno);
    }
    return fail(saved, wanted, EEXIST);
}

/* --------------------------------------------------------------------------------------------- */
/* Files                                                                                         */

/* Returns the saved name of a file that the link has read. Returns NULL if the file is not
 * saved: it is missing, it is a member of a thin archive (saved with its archive), or it is a
 * library that is not directly in a searched folder. */
static const char *saved_name(struct saved_link *saved, size_t index,
                              const struct warpld_read_file *file)
{
    if (file->missing || file->kind == WARPLD_FILE_MEMBER)
        return NULL;
    return file->kind == WARPLD_FILE_INPUT ? saved_input_name(saved->line->arena, index, file->path)
                                           : saved_library_name(saved->line, file->path);
}

/* Saves a file that is the same as the file with the index `other`: as a symbolic link to it. */
static int refer_to(struct saved_link *saved, const char *name, size_t other)
{
    struct arena *arena = saved->line->arena;
    struct warpld_read_file file = {.size = sizeof file};
    warpld_get_read_file(saved->link, other, &file);
    const char *up = strchr(strchr(name, '/') + 1, '/') ? "../.." : "..";
    const char *target = saved_name(saved, other, &file);
    const char *path = arena_format(arena, "%s/%s", saved->folder, name);
    if (!target || !symlink(arena_format(arena, "%s/%s", up, target), path) || errno == EEXIST)
        return 0;
    return fail(saved, path, errno);
}

static int save_read_files(struct saved_link *saved)
{
    struct warpld_read_file file = {.size = sizeof file};
    int error = 0;
    for (size_t i = 0; !error && warpld_get_read_file(saved->link, i, &file) == WARPLD_OK; i++) {
        const char *name = saved_name(saved, i, &file);
        if (name && file.same_as != i)
            error = refer_to(saved, name, file.same_as);
        else if (name)
            error = write_file(saved, name, (struct bytes){file.data, file.data_size});
    }
    return error;
}

static int make_library_folders(struct saved_link *saved)
{
    size_t count = saved->line->folders_count;
    int error = count ? make_folder(saved, "libraries") : 0;
    for (size_t i = 0; !error && i < count; i++)
        error = make_folder(saved, saved_library_folder(saved->line->arena, i));
    return error;
}

static int save_options_files(struct saved_link *saved)
{
    const struct command_line *line = saved->line;
    int error = line->files_count ? make_folder(saved, "options") : 0;
    for (size_t i = 0; !error && i < line->files_count; i++)
        error = write_file(saved, saved_options_file_name(line->arena, i, line->files[i].path),
                           line->files[i].contents);
    return error;
}

static int save_option_files(struct saved_link *saved)
{
    const char *host = saved_option_file_name(saved->line, OPTION_NV_HOST);
    const char *index = saved_option_file_name(saved->line, OPTION_UNIFIED_INDEX);
    int error = host ? write_file(saved, host, saved->host_file) : 0;
    return error || !index ? error : write_file(saved, index, saved->unified_index);
}

static int save_limits(struct saved_link *saved, const char *name, const char *path)
{
    struct mapped_file file;
    int error = file_map(&file, path);
    if (error)
        return fail(saved, path, error);
    error = write_file(saved, name, file.bytes);
    file_unmap(&file);
    return error;
}

static int save_files_of_limits(struct saved_link *saved)
{
    const struct command_line *line = saved->line;
    int error = 0;
    for (size_t i = 0; !error && i < line->given_count; i++) {
        const char *name = saved_limits_name(line, &line->given[i]);
        if (name)
            error = save_limits(saved, name, option_limit_file(line->given[i].value));
    }
    return error;
}

static int save_arguments(struct saved_link *saved)
{
    const char *path = arena_format(saved->line->arena, "%s/arguments", saved->folder);
    return fail(saved, path, saved_arguments_write(path, saved->line));
}

/* --------------------------------------------------------------------------------------------- */
/* The script                                                                                    */

static const char SCRIPT_HEAD[] =
    "#!/bin/sh\n"
    "# Repeats a link of warpld " WARPLD_VERSION
    ". The files that it read are here, and the arguments of its command\n"
    "# line in the file arguments; arguments of link.sh follow those. LINKER names\n"
    "# another linker, as in\n"
    "#     LINKER=nvlink sh link.sh\n"
    "case ${LINKER:-} in\n"
    "/* | '') ;;\n"
    "*/*) LINKER=$PWD/$LINKER ;;\n"
    "esac\n"
    "cd -- \"$(dirname -- \"$0\")\" || exit\n"
    "mkdir -p output || exit\n"
    "unset LIBRARY_PATH\n"
    "if [ -z \"${LINKER:-}\" ]; then\n";

static const char SCRIPT_TAIL[] = "fi\n"
                                  "exec \"$LINKER\" --options-file arguments";

/* Puts the text in single quotes for the shell. A single quote in the text becomes QUOTE, which
 * closes the quotes, adds an escaped single quote, and opens them again. */
static const char *shell_quoted(struct arena *arena, const char *text)
{
    static const char QUOTE[] = "'\\''";
    size_t size = strlen(text) + sizeof "''";
    for (const char *next = text; (next = strchr(next, '\'')); next++)
        /* one less than strlen(QUOTE), because the quote itself is counted already */
        size += sizeof QUOTE - 2;
    char *quoted = arena_alloc(arena, size), *end = quoted;
    *end++ = '\'';
    for (; *text; text++)
        if (*text == '\'')
            end = stpcpy(end, QUOTE);
        else
            *end++ = *text;
    *end = '\'';
    return quoted;
}

/* Returns the arguments that contain double quotes, quoted for the shell. They are in the script,
 * because the options file `arguments` cannot hold double quotes. */
static const char *words_with_quotes(const struct command_line *line)
{
    struct {
        GROWING_ARRAY(const char *, items);
    } arguments = {.items = NULL};
    for (size_t i = 0; i < line->given_count; i++) {
        const char *argument = saved_argument_with_quotes(line, &line->given[i]);
        if (argument)
            *ARENA_APPEND(line->arena, &arguments, items) =
                arena_join(line->arena, " ", shell_quoted(line->arena, argument));
    }
    return arena_join_all(line->arena, arguments.items, arguments.items_count, "");
}

/* Returns the text of the script. The script calls the linker by the name nvlink if this run
 * behaves as nvlink, else by the name warpld, because the name decides how the linker behaves. */
static const char *script(struct saved_link *saved)
{
    struct arena *arena = saved->line->arena;
    char self[PATH_MAX] = "";
    ssize_t size = readlink("/proc/self/exe", self, sizeof self - 1);
    self[size > 0 ? size : 0] = 0;
    return arena_format(arena, "%s    ln -sf %s %s || exit\n    LINKER=./%s\n%s%s \"$@\"\n",
                        SCRIPT_HEAD, shell_quoted(arena, self), saved->called, saved->called,
                        SCRIPT_TAIL, words_with_quotes(saved->line));
}

static int save_script(struct saved_link *saved)
{
    const char *text = script(saved);
    const char *path = arena_format(saved->line->arena, "%s/link.sh", saved->folder);
    int error = write_file(saved, "link.sh", (struct bytes){(const uint8_t *)text, strlen(text)});
    return error || !chmod(path, 0755) ? error : fail(saved, path, errno);
}

int save_inputs(struct saved_link *saved)
{
    int (*const steps[])(struct saved_link *) = {
        choose_folder,     make_library_folders, save_read_files, save_options_files,
        save_option_files, save_files_of_limits, save_arguments,  save_script,
    };
    int error = 0;
    for (size_t i = 0; !error && i < sizeof steps / sizeof *steps; i++)
        error = steps[i](saved);
    return error;
}

/* --------------------------------------------------------------------------------------------- */
/* Thin archives                                                                                 */

static bool is_thin(const struct warpld_read_file *file)
{
    static const char MAGIC[] = {'!', '<', 't', 'h', 'i', 'n', '>', '\n'};
    return file->data_size >= sizeof MAGIC && !memcmp(file->data, MAGIC, sizeof MAGIC);
}

int save_inputs_of_thin_archives(struct saved_link *saved)
{
    struct warpld_read_file file = {.size = sizeof file};
    size_t members = 0;
    for (size_t i = 0; warpld_get_read_file(saved->link, i, &file) == WARPLD_OK; i++) {
        bool is_first = is_thin(&file) && file.same_as == i;
        const char *name = is_first ? saved_name(saved, i, &file) : NULL;
        if (!name)
            continue;
        const char *path = arena_format(saved->line->arena, "%s/%s", saved->folder, name);
        int error = saved_archive_write(path, saved->link, i, &members);
        if (error)
            return fail(saved, path, error);
    }
    return 0;
}
