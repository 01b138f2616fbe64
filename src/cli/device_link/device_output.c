/* Writes the outputs of a device link; see device_output.h. */
#include "cli/device_link/device_output.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "cli/device_link/module_ids.h"
#include "cli/device_link/targets.h"
#include "cli/options/keywords.h"
#include "cli/options/options.h"
#include "cli/save/dependency_file.h"
#include "compile/process.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "hostobject/fatbin_writer.h"
#include "hostobject/host_object_writer.h"
#include "hostobject/pieces.h"

#if defined(__aarch64__)
enum { OWN_MACHINE = EM_AARCH64 };
#else
enum { OWN_MACHINE = EM_X86_64 };
#endif

/* The ELF machine number (e_machine) of the host object. */
static unsigned machine_of(const struct command_line *line)
{
    unsigned machine = keyword_machine(command_line_text(line, OPTION_CPU_ARCH));
    return machine ? machine : OWN_MACHINE;
}

const char *device_output_problem(const struct command_line *line, size_t targets_count)
{
    const char *path = command_line_text(line, OPTION_OUTPUT);
    bool makes_cubins = command_line_given(line, OPTION_CUBIN);
    bool makes_fatbin = command_line_given(line, OPTION_FATBIN);
    if (!path)
        return "Must specify output file with -o option";
    if (makes_cubins && makes_fatbin)
        return "Conflicting options '--cubin' and '--fatbin'";
    if (makes_cubins && targets_count > 1 && !targets_are_in_name(path))
        return "The name of the output needs '%a' in place of the target, as there are several "
               "cubins";
    if (makes_cubins || makes_fatbin || host_object_is_possible(machine_of(line)))
        return NULL;
    return arena_format(line->arena, "No host object can be made for '%s'; use --fatbin",
                        command_line_text(line, OPTION_CPU_ARCH));
}

/* --------------------------------------------------------------------------------------------- */
/* Cubins                                                                                        */

static const char *cubin_name(const struct device_link *link, const struct target_link *target)
{
    return target_file_name(link->arena, command_line_text(link->line, OPTION_OUTPUT),
                            command_line_text(&target->line, OPTION_ARCHITECTURE));
}

static const char *write_cubins(const struct device_link *link, const struct target_link *targets,
                                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *path = cubin_name(link, &targets[i]);
        if (file_replace_durably(path, targets[i].cubin,
                                 command_line_given(link->line, OPTION_FSYNC)))
            return path;
    }
    return NULL;
}

/* --------------------------------------------------------------------------------------------- */
/* Fat binaries and host objects                                                                 */

static enum fatbin_compression compression_of(const struct command_line *line)
{
    static const char *const MODES[] = {
#define COMPRESSION_MODE(name, word) [COMPRESSION_##name] = word,
#include "base/compression_mode.def"
#undef COMPRESSION_MODE
    };
    const char *mode = command_line_text(line, OPTION_COMPRESS_MODE);
    for (size_t i = 0; mode && i < sizeof MODES / sizeof *MODES; i++)
        if (!strcmp(MODES[i], mode))
            return (enum fatbin_compression)i;
    return COMPRESSION_DEFAULT;
}

/* Makes a fat binary of the cubins of all targets. Returns false if a cubin is too large to be
 * compressed. */
static bool make_fatbin(const struct device_link *link, const struct target_link *targets,
                        size_t count, struct pieces *fatbin)
{
    struct packed_image *images = ARENA_ARRAY(link->arena, struct packed_image, count);
    for (size_t i = 0; i < count; i++) {
        struct fatbin_image image = {
            .target = architecture_find(command_line_text(&targets[i].line, OPTION_ARCHITECTURE)),
            .cubin = targets[i].cubin,
            .identifier = "",
            .is_debug = command_line_given(link->line, OPTION_DEBUG),
            .compression = compression_of(link->line),
        };
        images[i] = fatbin_pack(link->arena, &image);
        if (!images[i].payload.data)
            return false;
    }
    fatbin_add(fatbin, images, count);
    return true;
}

static int write_pieces(const struct device_link *link, const struct pieces *file)
{
    return pieces_write(file, command_line_text(link->line, OPTION_OUTPUT),
                        command_line_given(link->line, OPTION_FSYNC));
}

static int write_host_object(const struct device_link *link, const struct target_link *targets,
                             size_t count, const struct pieces *fatbin)
{
    struct pieces file = {.arena = link->arena};
    struct module_ids ids;
    module_ids_collect(&ids, link->arena, targets, count);
    struct host_object_parts parts = {
        .machine = machine_of(link->line),
        .ids = ids.list,
        .ids_count = ids.list_count,
        .fatbin = fatbin,
    };
    host_object_make(&file, &parts);
    return write_pieces(link, &file);
}

static int write_dependencies(const struct device_link *link, struct target_link *targets,
                              size_t count)
{
    struct dependencies dependencies;
    const char **outputs = ARENA_ARRAY(link->arena, const char *, count);
    bool makes_cubins = command_line_given(link->line, OPTION_CUBIN);
    dependencies_init(&dependencies, link->arena);
    dependencies_add_line(&dependencies, link->line);
    for (size_t i = 0; i < count; i++) {
        dependencies_add_link(&dependencies, targets[i].link);
        outputs[i] = cubin_name(link, &targets[i]);
    }
    return dependencies_write(&dependencies, command_line_text(link->line, OPTION_DEPENDENCY_FILE),
                              outputs, makes_cubins ? count : 1);
}

/* Writes the cubins, the fat binary or the host object. Returns the path of a file that cannot be
 * written, or NULL. */
static const char *write_code(const struct device_link *link, const struct target_link *targets,
                              size_t count)
{
    const char *path = command_line_text(link->line, OPTION_OUTPUT);
    struct pieces fatbin = {.arena = link->arena};
    if (command_line_given(link->line, OPTION_CUBIN))
        return write_cubins(link, targets, count);
    if (!make_fatbin(link, targets, count, &fatbin))
        return path;
    int error = command_line_given(link->line, OPTION_FATBIN)
                    ? write_pieces(link, &fatbin)
                    : write_host_object(link, targets, count, &fatbin);
    return error ? path : NULL;
}

const char *device_output_write(const struct device_link *link, struct target_link *targets,
                                size_t count)
{
    const char *dependencies = command_line_text(link->line, OPTION_DEPENDENCY_FILE);
    sigset_t held, outside;
    process_hold_signals(&held, &outside); /* a signal must not leave a temporary file */
    const char *unwritten = write_code(link, targets, count);
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    if (unwritten || !dependencies)
        return unwritten;
    return write_dependencies(link, targets, count) ? dependencies : NULL;
}
