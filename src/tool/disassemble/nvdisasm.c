/* Finds and runs nvdisasm; see nvdisasm.h. */
#include "tool/disassemble/nvdisasm.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "compile/find_program.h"
#include "compile/process.h"
#include "compile/ptx_compiler.h"
#include "tool/decode/tool_error.h"

/* Limits for a run of nvdisasm. They are large, because the time and the output grow with the size
 * of the code. */
enum { SECONDS = 600, TEXT_MIB = 256 };

const char *nvdisasm_find(const char *chosen, struct arena *arena)
{
    const struct ptx_compiler_settings settings = {
        .toolkits = {getenv("CUDA_HOME"), getenv("CUDA_PATH")}, .path = getenv("PATH")};
    struct program_search search = {.arena = arena};
    if (chosen)
        find_at(&search, chosen);
    else
        find_toolkit_program(&search, &settings, "nvdisasm");
    if (!search.found && chosen)
        tool_error("%s: no program that can be run", chosen);
    else if (!search.found)
        tool_error("nvdisasm is not in CUDA_HOME, CUDA_PATH or PATH; it is in the CUDA toolkit and "
                   "in the Python package nvidia-cuda-nvdisasm; --nvdisasm names another place");
    return search.found;
}

/* Writes the cubin to a temporary file, because nvdisasm reads no pipes. Returns the path of the
 * file. If an error occurs, reports it and returns NULL. */
static char *make_file(struct bytes cubin, struct arena *arena)
{
    const char *folder = getenv("TMPDIR");
    char *path = arena_format(arena, "%s/cubintool.XXXXXX", folder && *folder ? folder : "/tmp");
    int descriptor = mkstemp(path);
    int error = descriptor >= 0 ? file_write_all(descriptor, cubin) : errno;
    bool is_written = !error;
    if (error)
        tool_error("%s: %s", path, strerror(error));
    if (descriptor >= 0 && close(descriptor))
        is_written = false;
    if (descriptor >= 0 && !is_written)
        unlink(path);
    return is_written ? path : NULL;
}

/* Reports why nvdisasm printed no usable output. */
static void report_failure(const char *program, const struct process_text *read,
                           struct arena *arena)
{
    const struct process_watch watch = {.seconds = SECONDS};
    const char *fault = process_fault(arena, &read->result, &watch);
    if (read->result.end == PROCESS_PRINTED_TOO_MUCH)
        tool_error("%s was ended because it printed more than %d MiB", program, TEXT_MIB);
    else if (fault)
        tool_error("%s %s", program, fault);
    else
        tool_error("%s cannot read this cubin; called with -c and the cubin, it says why", program);
}

const char *nvdisasm_run(const char *program, struct bytes cubin, struct arena *arena)
{
    sigset_t held, outside;
    /* A signal must not end the process before the temporary file is removed. */
    process_hold_signals(&held, &outside);
    struct process_text read = {.text = NULL};
    char *path = make_file(cubin, arena);
    if (path) {
        const char *const arguments[] = {program, "-c", "-g", path, NULL};
        const struct process_plan plan = {.arguments = arguments};
        read = process_read(arena, &plan, PROCESS_OUTPUT, SECONDS, (size_t)TEXT_MIB << 20);
        unlink(path);
    }
    pthread_sigmask(SIG_SETMASK, &outside, NULL);
    if (path && !read.text)
        report_failure(program, &read, arena);
    return read.text;
}
