/* The file of --register-link-binaries; see register_file.h. */
#define _GNU_SOURCE /* memmem */
#include "cli/device_link/register_file.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/file.h"

/* Makes a name for an object without a module id: its absolute path, in which an underscore
 * replaces every character except letters and digits. */
static const char *name_from_path(struct arena *arena, const char *path)
{
    char folder[PATH_MAX];
    char *name = *path == '/' || !getcwd(folder, sizeof folder)
                     ? arena_format(arena, "%s", path)
                     : arena_format(arena, "%s/%s", folder, path);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return name;
}

const char *register_name(struct arena *arena, const struct warpld_linked_object *object)
{
    return object->module_id ? object->module_id : name_from_path(arena, object->name);
}

/* Returns whether the file names the device runtime. nvcc links once for each architecture and
 * passes the same file each time. The file must register the runtime if any of these links includes
 * it, so a file that names the runtime must not be overwritten. Like nvlink, searches only the text
 * before the first NUL (observed with 40 files). */
static bool registers_device_runtime(const char *path)
{
    static const char RUNTIME[] = REGISTER_NAME_OF_RUNTIME;
    struct mapped_file file;
    if (file_map(&file, path))
        return false;
    const char *text = (const char *)file.bytes.data;
    size_t size = file.bytes.size ? strnlen(text, file.bytes.size) : 0;
    bool is_named = size && memmem(text, size, RUNTIME, sizeof RUNTIME - 1);
    file_unmap(&file);
    return is_named;
}

int register_file_write(struct arena *arena, const struct warpld_link *link, const char *path)
{
    if (registers_device_runtime(path))
        return 0;
    struct warpld_linked_object object = {.size = sizeof object};
    struct {
        GROWING_ARRAY(char *, lines);
    } file = {.lines = NULL};
    size_t size = 0;
    for (size_t i = 0; warpld_get_linked_object(link, i, &object) == WARPLD_OK; i++) {
        char *line =
            arena_format(arena, "DEFINE_REGISTER_FUNC(%s)\n", register_name(arena, &object));
        *ARENA_APPEND(arena, &file, lines) = line;
        size += strlen(line);
    }
    const char *head = arena_format(arena, "#define NUM_PRELINKED_OBJECTS %u\n", file.lines_count);
    char *text = arena_alloc(arena, strlen(head) + size + 1), *end = text;
    end = stpcpy(end, head);
    for (size_t i = 0; i < file.lines_count; i++)
        end = stpcpy(end, file.lines[i]);
    return file_replace(path, (struct bytes){(const uint8_t *)text, (uint64_t)(end - text)});
}
