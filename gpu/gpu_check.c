/* Links small programs in memory, runs them on this machine's GPU and compares their results with
 * those of the CPU.
 *
 *     gpu-check DATA                  links the relocatable cubins of folder DATA with libwarpld
 *     gpu-check --linked LINKED DATA  loads LINKED/PROGRAM.ARCHITECTURE.cubin instead, which
 *                                     another linker has written, to show that the checks are right
 *
 * Each check runs in a separate process: a faulting kernel makes its process's context unusable,
 * and a crash or a hang must not affect other checks.
 *
 * Exit status: 0 all passed, 1 some failed, 2 usage error, 77 no check could run. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "driver.h"
#include "warpld.h"

enum { EXIT_SKIPPED = 77, MOST_PRINTED = 4096, NAME_SIZE = 256 };

/* Cubins of sm_80 run on every device of compute capability 8.x. */
struct architecture {
    const char *name;
    int major;
    int least_minor;
};
static const struct architecture architectures[] = {{"sm_90", 9, 0}, {"sm_80", 8, 0}};
enum { ARCHITECTURE_COUNT = sizeof architectures / sizeof architectures[0] };

struct session {
    const char *data_folder;
    const char *linked_folder; /* or NULL */
    const struct architecture *architecture;
    struct driver driver;
};

struct buffer {
    void *data;
    size_t size;
};

/* Prints the reason for a failure on a separate line. Returns false, for callers to return. */
__attribute__((format(printf, 1, 2))) static bool fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("\n        ", stdout);
    vprintf(format, arguments);
    va_end(arguments);
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Linking                                                                                       */

static bool read_file(const char *path, struct buffer *buffer)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail("cannot open %s", path);
    bool good = fseek(file, 0, SEEK_END) == 0;
    long size = good ? ftell(file) : -1;
    rewind(file);
    buffer->data = size > 0 ? malloc((size_t)size) : NULL;
    buffer->size = buffer->data ? fread(buffer->data, 1, (size_t)size, file) : 0;
    fclose(file);
    if (size <= 0 || buffer->size != (size_t)size)
        return fail("cannot read %s", path);
    return true;
}

static void print_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    (void)context;
    if (diagnostic->severity >= WARPLD_ERROR)
        fail("%s", diagnostic->text);
}

static bool add_objects(struct warpld_link *link, const struct program *program,
                        const struct session *session, struct buffer *inputs)
{
    for (size_t i = 0; program->objects[i]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s.%s.cubin", session->data_folder, program->objects[i],
                 session->architecture->name);
        if (!read_file(path, &inputs[i]))
            return false;
        if (warpld_add_memory(link, path, inputs[i].data, inputs[i].size) != WARPLD_OK)
            return fail("cannot add %s", path);
    }
    return true;
}

static bool copy_output(struct warpld_link *link, struct buffer *cubin)
{
    const void *data;
    if (warpld_output(link, &data, &cubin->size) != WARPLD_OK)
        return fail("the link has no output");
    cubin->data = malloc(cubin->size);
    if (!cubin->data)
        return fail("out of memory");
    memcpy(cubin->data, data, cubin->size);
    return true;
}

static bool link_program(const struct session *session, const struct program *program,
                         struct buffer *cubin)
{
    struct buffer inputs[MOST_OBJECTS] = {{0}};
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = session->architecture->name;
    options.diagnostic = print_diagnostic;

    struct warpld_link *link;
    if (warpld_create(&options, &link) != WARPLD_OK)
        return fail("out of memory");
    bool good = add_objects(link, program, session, inputs);
    if (good) {
        enum warpld_status status = warpld_run(link);
        good = status == WARPLD_OK ? copy_output(link, cubin)
                                   : fail("the link failed: %s", warpld_status_name(status));
    }
    warpld_destroy(link);
    for (size_t i = 0; i < MOST_OBJECTS; i++)
        free(inputs[i].data);
    return good;
}

/* Links the program, or reads its linked cubin. The caller frees the cubin. */
static bool get_cubin(const struct session *session, const struct program *program,
                      struct buffer *cubin)
{
    if (!session->linked_folder)
        return link_program(session, program, cubin);
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.%s.cubin", session->linked_folder, program->name,
             session->architecture->name);
    return read_file(path, cubin);
}

/* --------------------------------------------------------------------------------------------- */
/* Running one check                                                                             */

/* Calls a driver function. If that fails, prints the error and makes the calling function return
 * false. */
#define CALL(driver, function, arguments)                                                          \
    do {                                                                                           \
        int error_ = (driver)->function arguments;                                                 \
        if (error_)                                                                                \
            return fail("%s: %s", #function, driver_error_name(driver, error_));                   \
    } while (0)

static bool open_device(struct driver *driver, int *device)
{
    void *context;
    CALL(driver, init, (0));
    CALL(driver, device_get, (device, 0));
    CALL(driver, primary_context_retain, (&context, *device));
    CALL(driver, context_set_current, (context));
    return true;
}

static bool address_of_variable(const struct driver *driver, void *module, const char *name,
                                size_t size, device_address *address)
{
    size_t found;
    CALL(driver, module_get_global, (address, &found, module, name));
    return found == size || fail("%s has %zu bytes instead of %zu", name, found, size);
}

static bool prepare_argument(const struct driver *driver, const struct check *check, void *module,
                             uint64_t *argument)
{
    device_address address;
    uint32_t seeds[SEED_COUNT];

    *argument = 0;
    switch (check->argument) {
    case NO_ARGUMENT:
        break;
    case ARGUMENT_FUNCTION:
        if (!address_of_variable(driver, module, "exported", sizeof *argument, &address))
            return false;
        CALL(driver, copy_from_device, (argument, address, sizeof *argument));
        break;
    case ARGUMENT_SEEDS:
        for (uint32_t i = 0; i < SEED_COUNT; i++)
            seeds[i] = seed(i);
        CALL(driver, memory_allocate, (&address, sizeof seeds));
        CALL(driver, copy_to_device, (address, seeds, sizeof seeds));
        *argument = address;
        break;
    }
    return true;
}

static bool prepare(const struct driver *driver, const struct check *check, void *module,
                    uint64_t *argument)
{
    if (check->stack_bytes)
        CALL(driver, context_set_limit, (LIMIT_STACK_SIZE, check->stack_bytes));
    if (check->factor) {
        device_address address;
        if (!address_of_variable(driver, module, "factor", sizeof check->factor, &address))
            return false;
        CALL(driver, copy_to_device, (address, &check->factor, sizeof check->factor));
    }
    return prepare_argument(driver, check, module, argument);
}

static bool launch(const struct driver *driver, const struct check *check, void *module,
                   uint64_t argument, uint32_t *out, size_t out_size)
{
    void *function;
    device_address device_out;
    void *parameters[] = {&device_out, &argument};

    CALL(driver, module_get_function, (&function, module, check->kernel));
    CALL(driver, memory_allocate, (&device_out, out_size));
    CALL(driver, copy_to_device, (device_out, out, out_size));
    CALL(driver, launch,
         (function, check->blocks, 1, 1, check->threads, 1, 1, check->shared_bytes, NULL,
          parameters, NULL));
    CALL(driver, context_synchronize, ());
    CALL(driver, copy_from_device, (out, device_out, out_size));
    return true;
}

/* Launches a kernel with standard output redirected to a file, and compares what is printed. */
static bool launch_and_compare_print(const struct driver *driver, const struct check *check,
                                     void *module, uint32_t *out, size_t out_size)
{
    char printed[MOST_PRINTED];
    FILE *file = tmpfile();
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    if (!file || saved < 0 || dup2(fileno(file), STDOUT_FILENO) < 0)
        return fail("cannot redirect the standard output");
    bool good = launch(driver, check, module, 0, out, out_size);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    rewind(file);
    printed[fread(printed, 1, sizeof printed - 1, file)] = '\0';
    fclose(file);
    if (!good)
        fputs(printed, stdout);
    else if (strcmp(printed, check->prints))
        good = fail("printed \"%s\" instead of \"%s\"", printed, check->prints);
    return good;
}

static bool compare(const struct check *check, const uint32_t *out)
{
    for (uint32_t i = 0; i < check->blocks * check->threads; i++) {
        uint32_t expected = check->expected(i, i / check->threads, i % check->threads);
        if (out[i] != expected)
            return fail("thread %u computed %u instead of %u", i, out[i], expected);
    }
    return true;
}

static bool run_module(struct driver *driver, const struct check *check, const void *cubin,
                       uint32_t *out, size_t out_size)
{
    int device;
    void *module;
    uint64_t argument;

    if (!open_device(driver, &device))
        return false;
    CALL(driver, module_load_data, (&module, cubin));
    if (!prepare(driver, check, module, &argument))
        return false;
    bool good = check->prints ? launch_and_compare_print(driver, check, module, out, out_size)
                              : launch(driver, check, module, argument, out, out_size);
    return good && compare(check, out);
}

static bool run_check(struct session *session, const struct check *check)
{
    struct buffer cubin = {0};
    size_t out_size = sizeof(uint32_t) * check->blocks * check->threads;
    uint32_t *out = malloc(out_size);
    if (!out)
        return fail("out of memory");
    memset(out, 0xa5, out_size);
    bool good = get_cubin(session, check->program, &cubin) &&
                run_module(&session->driver, check, cubin.data, out, out_size);
    free(cubin.data);
    free(out);
    return good;
}

/* --------------------------------------------------------------------------------------------- */
/* Processes and the table                                                                       */

/* Waits for a child. Returns its exit status, or -1 if a signal ended it. */
static int wait_for(pid_t child)
{
    int status;
    if (waitpid(child, &status, 0) < 0)
        return -1;
    if (WIFSIGNALED(status)) {
        fail("ended by signal %d%s", WTERMSIG(status),
             WTERMSIG(status) == 14 ? " (it ran too long)" : "");
        return -1;
    }
    return WEXITSTATUS(status);
}

/* Runs a check in a child process. The driver must not be used before a fork. */
static bool run_check_apart(struct session *session, const struct check *check)
{
    printf("%-10s %-21s %-57s ", check->program->name, check->kernel, check->about);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_EACH);
        bool good = run_check(session, check);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    bool good = child > 0 && wait_for(child) == 0;
    puts(good ? "passed" : "\n        FAILED");
    return good;
}

/* Returns the exit status of the child that looks for a device: the index of the device's row in
 * `architectures`, or EXIT_SKIPPED. */
static int look_for_device(struct driver *driver)
{
    char name[NAME_SIZE] = "";
    int device, major, minor;

    if (driver->init(0) || driver->device_get(&device, 0) ||
        driver->device_get_name(name, sizeof name, device) ||
        driver->device_get_attribute(&major, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
        driver->device_get_attribute(&minor, DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)) {
        puts("there is a CUDA driver, but no usable device");
        return EXIT_SKIPPED;
    }
    for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
        if (architectures[i].major == major && minor >= architectures[i].least_minor) {
            printf("%s, compute capability %d.%d: cubins of %s\n", name, major, minor,
                   architectures[i].name);
            return i;
        }
    }
    printf("%s has compute capability %d.%d; there are no cubins for it\n", name, major, minor);
    return EXIT_SKIPPED;
}

static int find_architecture(struct driver *driver)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(SECONDS_EACH);
        int index = look_for_device(driver);
        fflush(stdout);
        _exit(index);
    }
    int index = child > 0 ? wait_for(child) : -1;
    return index >= 0 && index < ARCHITECTURE_COUNT ? index : EXIT_SKIPPED;
}

/* Without a device, checks only that the links succeed. */
static int only_link(struct session *session, const char *reason)
{
    int failed = 0;
    for (int i = 0; i < ARCHITECTURE_COUNT; i++) {
        session->architecture = &architectures[i];
        for (size_t p = 0; p < program_count; p++) {
            struct buffer cubin = {0};
            if (!get_cubin(session, programs[p], &cubin)) {
                printf("\nFAILED: the link of %s for %s\n", programs[p]->name,
                       architectures[i].name);
                failed++;
            }
            free(cubin.data);
        }
    }
    if (failed) {
        printf("%d failed\n", failed);
        return 1;
    }
    printf("skipped: %zu programs were linked, none was run: %s\n", program_count, reason);
    return EXIT_SKIPPED;
}

static int run_all(struct session *session)
{
    size_t passed = 0;
    for (size_t i = 0; i < check_count; i++)
        passed += run_check_apart(session, &checks[i]);
    printf("%zu passed, %zu failed\n", passed, check_count - passed);
    return passed == check_count ? 0 : 1;
}

int main(int count, char **arguments)
{
    struct session session = {0};
    bool linked = count == 4 && strcmp(arguments[1], "--linked") == 0;
    if (count != 2 && !linked) {
        fputs("usage: gpu-check [--linked FOLDER] DATA\n", stderr);
        return 2;
    }
    session.linked_folder = linked ? arguments[2] : NULL;
    session.data_folder = arguments[count - 1];

    const char *problem;
    if (!driver_open(&session.driver, &problem))
        return only_link(&session, problem);
    int index = find_architecture(&session.driver);
    if (index == EXIT_SKIPPED)
        return only_link(&session, "no suitable device");
    session.architecture = &architectures[index];
    return run_all(&session);
}
