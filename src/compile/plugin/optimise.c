/* Link-time optimisation in this process; see optimise.h.
 *
 * nvJitLink with -lto -ptx makes the PTX (documented from 12.0 on). The text is that of `nvlink
 * -lto -emit-ptx` where all inputs are LTO-IR (observed with 13.0.88). With -lto -r it makes an
 * object with all names; releases before 13.3 made an object that lacks most of the names. */
#define _GNU_SOURCE /* RTLD_NODELETE */
#include "compile/plugin/optimise.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/plugin/keep_module.h"
#include "compile/plugin/local_functions.h"
#include "compile/plugin/plugin.h"
#include "warpld.h"

enum { INPUT_LTO_IR = 3, INPUT_FAT_BINARY = 4 }; /* NVJITLINK_INPUT_LTOIR, _FATBIN */

struct nvjitlink {
    int (*create)(void **handle, unsigned count, const char *const *options);
    int (*add)(void *handle, int type, const void *data, size_t size, const char *name);
    int (*complete)(void *handle);
    int (*code_size)(void *handle, size_t *size); /* of the PTX, or of the object */
    int (*code)(void *handle, char *code);
    int (*error_size)(void *handle, size_t *size);
    int (*error)(void *handle, char *text);
    int (*info_size)(void *handle, size_t *size);
    int (*info)(void *handle, char *text);
    int (*destroy)(void **handle);
};

struct nvvm {
    int (*create)(void **program);
    int (*add)(void *program, const char *text, size_t size, const char *name);
    int (*compile)(void *program, int count, const char **options);
    int (*result_size)(void *program, size_t *size);
    int (*result)(void *program, char *data);
    int (*log_size)(void *program, size_t *size);
    int (*log)(void *program, char *text);
    int (*destroy)(void **program);
};

/* --------------------------------------------------------------------------------------------- */
/* Messages                                                                                      */

/* Appends a text and a newline. Returns false if memory has run out. */
static bool add_message(struct optimiser_output *output, const char *text)
{
    size_t before = output->messages ? strlen(output->messages) : 0, size = strlen(text);
    while (size && text[size - 1] == '\n')
        size--;
    if (!size)
        return true;
    char *messages = realloc(output->messages, before + size + 2);
    if (!messages)
        return false;
    memcpy(messages + before, text, size);
    messages[before + size] = '\n';
    messages[before + size + 1] = 0;
    output->messages = messages;
    return true;
}

/* Appends a log of a library. */
static bool add_log(void *handle, int (*size_of)(void *handle, size_t *size),
                    int (*get)(void *handle, char *text), struct optimiser_output *output)
{
    size_t size = 0;
    if (size_of(handle, &size) || !size)
        return true;
    char *text = calloc(size + 1, 1);
    bool has_memory = text && (get(handle, text) || add_message(output, text));
    free(text);
    return has_memory;
}

static bool report_missing(struct optimiser_output *output, const char *path, const char *reason)
{
    char text[1024];
    snprintf(text, sizeof text, "Cannot use '%s': %s", path, reason);
    return add_message(output, text);
}

/* --------------------------------------------------------------------------------------------- */
/* Libraries                                                                                     */

/* Finds a function by its plain name. nvJitLink 12.0 to 12.2 have no plain names, only names that
 * end in the numbers of a release. */
static void *find_nvjitlink_function(void *library, const char *name)
{
    enum { OLDEST = 12, NEWEST = 13, MINORS = 10 };
    char full[64];
    snprintf(full, sizeof full, "nvJitLink%s", name);
    void *found = dlsym(library, full);
    for (int release = MINORS * (NEWEST + 1) - 1; release >= MINORS * OLDEST && !found; release--) {
        snprintf(full, sizeof full, "__nvJitLink%s_%d_%d", name, release / MINORS,
                 release % MINORS);
        found = dlsym(library, full);
    }
    return found;
}

/* Whether -lto -r keeps all names, which nvJitLink does from 13.3 on. Releases 12.0 to 12.2 do not
 * report their version. */
static bool keeps_all_names(void *library)
{
    enum { MAJOR = 13, MINOR = 3 };
    unsigned major = 0, minor = 0;
    int (*version)(unsigned *major, unsigned *minor);
    void *address = find_nvjitlink_function(library, "Version");
    if (!address)
        return false;
    memcpy(&version, &address, sizeof version);
    return !version(&major, &minor) && (major > MAJOR || (major == MAJOR && minor >= MINOR));
}

/* Returns NULL, or why the library cannot be used for the job. */
static const char *open_nvjitlink(struct nvjitlink *functions, const struct optimiser_job *job)
{
    const struct plugin_function wanted[] = {
        {"Create", &functions->create},
        {"AddData", &functions->add},
        {"Complete", &functions->complete},
        {job->makes_object ? "GetLinkedCubinSize" : "GetLinkedPtxSize", &functions->code_size},
        {job->makes_object ? "GetLinkedCubin" : "GetLinkedPtx", &functions->code},
        {"GetErrorLogSize", &functions->error_size},
        {"GetErrorLog", &functions->error},
        {"GetInfoLogSize", &functions->info_size},
        {"GetInfoLog", &functions->info},
        {"Destroy", &functions->destroy},
    };
    void *library = dlopen(job->nvjitlink, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return dlerror();
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *address = find_nvjitlink_function(library, wanted[i].name);
        if (!address)
            return "it lacks functions of nvJitLink";
        memcpy(wanted[i].target, &address, sizeof address);
    }
    return job->makes_object && !keeps_all_names(library)
               ? "-r and --force-partial-lto need libnvJitLink of CUDA 13.3 or later, which keeps "
                 "all names of LTO-IR"
               : NULL;
}

static const char *open_nvvm(struct nvvm *functions, const char *path)
{
    const struct plugin_function wanted[] = {
        {"nvvmCreateProgram", &functions->create},
        {"nvvmAddModuleToProgram", &functions->add},
        {"nvvmCompileProgram", &functions->compile},
        {"nvvmGetCompiledResultSize", &functions->result_size},
        {"nvvmGetCompiledResult", &functions->result},
        {"nvvmGetProgramLogSize", &functions->log_size},
        {"nvvmGetProgramLog", &functions->log},
        {"nvvmDestroyProgram", &functions->destroy},
    };
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return dlerror();
    return plugin_find(library, wanted, sizeof wanted / sizeof *wanted)
               ? NULL
               : "it lacks functions of libnvvm";
}

/* --------------------------------------------------------------------------------------------- */
/* The module that keeps names                                                                   */

/* Compiles the text of the module into LTO-IR. Returns false if memory has run out. */
static bool compile_text(const struct nvvm *nvvm, const char *target, const char *text,
                         struct optimiser_module *module, struct optimiser_output *output)
{
    char architecture[64];
    void *program = NULL;
    snprintf(architecture, sizeof architecture, "-arch=%s", target);
    const char *options[] = {architecture, "-gen-lto"};
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): open_nvvm has set `create` */
    if (nvvm->create(&program))
        return add_message(output, "libnvvm cannot create a program");
    bool has_memory = true;
    if (nvvm->add(program, text, strlen(text), "kept names") ||
        nvvm->compile(program, sizeof options / sizeof *options, options) ||
        nvvm->result_size(program, &module->size)) {
        has_memory = add_log(program, nvvm->log_size, nvvm->log, output) &&
                     add_message(output, "libnvvm cannot compile the list of kept names");
    } else {
        module->data = malloc(module->size);
        has_memory = module->data != NULL;
        if (has_memory && nvvm->result(program, module->data)) {
            free(module->data);
            module->data = NULL;
        }
    }
    nvvm->destroy(&program);
    return has_memory;
}

bool optimise_make_module(const struct optimiser_job *job, struct optimiser_module *module,
                          struct optimiser_output *output)
{
    struct nvvm nvvm = {.create = NULL};
    if (!job->nvvm)
        return add_message(output, "Partial link-time optimisation needs libnvvm, which was not "
                                   "found; name its folder with -nvvmpath");
    const char *reason = open_nvvm(&nvvm, job->nvvm);
    if (reason)
        return report_missing(output, job->nvvm, reason);
    char *text = keep_module_write(job->kept, job->kept_count);
    bool has_memory = text && compile_text(&nvvm, job->nvvm_target, text, module, output);
    free(text);
    return has_memory;
}

/* Sets the module that keeps names, unless it is already set or the job has no kept names. Returns
 * false if memory has run out. */
static bool take_module(const struct optimiser_job *job, struct optimiser_module *module,
                        struct optimiser_output *output)
{
    if (module->data || !job->kept_count)
        return true;
    if (job->ask_module)
        job->ask_module(job->module_context, job->kept, job->kept_count, module);
    return module->data || optimise_make_module(job, module, output);
}

/* --------------------------------------------------------------------------------------------- */
/* The link                                                                                      */

/* Adds the module that keeps names to the link, if the job has kept names. Returns false, with a
 * message in the output, if the module is missing or nvJitLink refuses it. */
static bool add_module(const struct nvjitlink *functions, void *handle,
                       const struct optimiser_job *job, const struct optimiser_module *module,
                       struct optimiser_output *output)
{
    static const char NAME[] = "kept names";
    if (!job->kept_count)
        return true;
    if (!module->data)
        return false;
    if (!functions->add(handle, INPUT_LTO_IR, module->data, module->size, NAME))
        return true;
    add_message(output, OPTIMISER_KEPT_REFUSED);
    return false;
}

static bool add_inputs(const struct nvjitlink *functions, void *handle,
                       const struct optimiser_job *job)
{
    for (size_t i = 0; i < job->inputs_count; i++) {
        const struct warpld_intermediate *input = &job->inputs[i];
        int type = input->is_fat_binary ? INPUT_FAT_BINARY : INPUT_LTO_IR;
        if (functions->add(handle, type, input->data, input->data_size, input->name))
            return false;
    }
    return true;
}

/* Copies the code to the output. The size that nvJitLink reports for PTX includes a NUL, which
 * output->code_size does not count. */
static bool take_code(const struct nvjitlink *functions, void *handle, bool is_text,
                      struct optimiser_output *output)
{
    size_t size = 0;
    if (functions->code_size(handle, &size) || !size)
        return true;
    char *code = calloc(size + 1, 1);
    if (!code)
        return false;
    if (functions->code(handle, code)) {
        free(code);
        return true;
    }
    output->code = code;
    output->code_size = is_text ? strlen(code) : size;
    return true;
}

static bool report_start(const struct optimiser_job *job)
{
    if (job->started)
        job->started(job->started_context);
    return true;
}

/* Links the inputs. nvJitLink sets the handle and has logs even if it refuses an option, so the
 * logs are also read after such a refusal. The module that keeps names is taken as late as
 * possible, because another process may still be making it. */
static bool link_inputs(const struct nvjitlink *functions, const struct optimiser_job *job,
                        struct optimiser_module *module, struct optimiser_output *output)
{
    void *handle = NULL;
    bool has_memory = true;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): open_nvjitlink has set `create` */
    if (!functions->create(&handle, (unsigned)job->options_count, job->options) &&
        add_inputs(functions, handle, job) && (has_memory = take_module(job, module, output)) &&
        add_module(functions, handle, job, module, output) && report_start(job) &&
        !functions->complete(handle))
        has_memory = take_code(functions, handle, !job->makes_object, output);
    if (!handle)
        return add_message(output, "nvJitLink cannot create a link");
    /* After success the info log is useless: nvJitLink 13.5 writes notes about its own containers
     * to it. */
    if (!output->code)
        has_memory &= add_log(handle, functions->info_size, functions->info, output);
    has_memory &= add_log(handle, functions->error_size, functions->error, output);
    functions->destroy(&handle);
    return has_memory;
}

static bool is_about_variables(const char *option)
{
    static const char USED[] = "-variables-used=";
    return !strncmp(option, USED, strlen(USED)) || !strcmp(option, "-optimize-unused-variables");
}

/* nvJitLink 13.0.88 fails with "input module is broken" if the options leave no kernel and no
 * variable; nvlink makes an empty module then. So the optimiser is run again without the options
 * that remove variables: it then keeps all variables and no kernel. */
static bool repeat_with_variables(const struct nvjitlink *functions,
                                  const struct optimiser_job *job, struct optimiser_module *module,
                                  struct optimiser_output *output)
{
    struct optimiser_job changed = *job;
    struct optimiser_output repeated = {.has_repeated = true};
    const char **options = calloc(job->options_count + 1, sizeof *options);
    if (!options)
        return false;
    changed.options = options;
    changed.options_count = 0;
    for (size_t i = 0; i < job->options_count; i++)
        if (!is_about_variables(job->options[i]))
            options[changed.options_count++] = job->options[i];
    bool has_memory = changed.options_count == job->options_count ||
                      link_inputs(functions, &changed, module, &repeated);
    if (repeated.code) {
        free(output->messages);
        *output = repeated;
    } else {
        free(repeated.messages);
    }
    free(options);
    return has_memory;
}

/* --------------------------------------------------------------------------------------------- */
/* Parts of programs                                                                             */

/* Returns the kept names of the job, followed by the names in `functions`. The array is from
 * calloc; NULL if memory has run out. */
static struct warpld_kept_name *join_names(const struct optimiser_job *job,
                                           const struct local_functions *functions)
{
    size_t count = job->kept_count + functions->count;
    struct warpld_kept_name *names = calloc(count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = i < job->kept_count ? job->kept[i] : functions->names[i - job->kept_count];
    return names;
}

/* Links again, and keeps the functions in `local`, too. If that fails, *output keeps the result of
 * the first link. */
static bool keep_functions(const struct nvjitlink *functions, const struct optimiser_job *job,
                           const struct local_functions *local, struct optimiser_output *output)
{
    struct optimiser_job changed = *job;
    struct optimiser_output again = {.code = NULL};
    struct optimiser_module module = {NULL, 0};
    struct warpld_kept_name *names = join_names(job, local);
    changed.kept = names;
    changed.kept_count = job->kept_count + local->count;
    bool has_memory = names && link_inputs(functions, &changed, &module, &again);
    if (again.code) {
        /* NOLINTBEGIN(clang-analyzer-unix.Malloc): each link allocates its own code and messages */
        free(output->code);
        free(output->messages);
        /* NOLINTEND(clang-analyzer-unix.Malloc) */
        *output = again;
    } else {
        free(again.messages);
    }
    free(module.data);
    free(names);
    return has_memory;
}

/* Restores the linkage of the functions that are not inlined: they get the linkage that they have
 * in the LTO-IR. nvlink 13.0.88 does the same for all functions of a part of a program.
 *
 * The optimiser makes each function local that is not in the list of kept names. ptxas then knows
 * that no other definition replaces the function, and lets its callers use more registers than the
 * calling convention has: 35 instead of 24, for example. So this function adds the names of local
 * functions to the list and links again. The new link may inline less, and then has other local
 * functions, which need a further link. There are at most MOST_LINKS further links. */
static bool keep_linkage(const struct nvjitlink *functions, const struct optimiser_job *job,
                         struct optimiser_output *output)
{
    enum { MOST_LINKS = 3 };
    struct local_functions local = {.names = NULL};
    bool has_memory = true, has_new = true;
    for (int i = 0; i < MOST_LINKS && has_memory && has_new; i++)
        has_memory = local_functions_add(&local, output->code, &has_new) &&
                     (!has_new || keep_functions(functions, job, &local, output));
    local_functions_free(&local);
    return has_memory;
}

bool optimise_in_process(const struct optimiser_job *job, struct optimiser_output *output)
{
    struct nvjitlink functions = {.create = NULL};
    struct optimiser_module module = {NULL, 0};
    *output = (struct optimiser_output){.code = NULL};
    const char *reason = open_nvjitlink(&functions, job);
    if (reason)
        return report_missing(output, job->nvjitlink, reason);
    bool has_memory = link_inputs(&functions, job, &module, output);
    if (has_memory && !output->code && (!job->kept_count || module.data))
        has_memory = repeat_with_variables(&functions, job, &module, output);
    if (has_memory && output->code && job->is_part && job->nvvm)
        has_memory = keep_linkage(&functions, job, output);
    free(module.data);
    return has_memory;
}
