/* Makes many calls of libnvJitLink's interface, so that sanitizers can check them.
 *
 *     stress LIBRARY threads THREADS LINKS INPUT...   the same link in many threads; all outputs
 *                                                     must be equal
 *     stress LIBRARY damage SEED COUNT INPUT...       links of inputs with changed bytes
 *     stress LIBRARY misuse INPUT...                  wrong calls, in every state of a handle
 *
 * The program adds each input with the type NVJITLINK_INPUT_ANY. If it finds no fault, it prints
 * nothing and exits with 0. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "warpld_nvjitlink.h"

enum { MOST_INPUTS = 8, MOST_THREADS = 256, LARGEST_INPUT = 1 << 20 };

static struct {
    __typeof__(nvJitLinkCreate) *create;
    __typeof__(nvJitLinkDestroy) *destroy;
    __typeof__(nvJitLinkAddData) *add;
    __typeof__(nvJitLinkAddFile) *add_file;
    __typeof__(nvJitLinkComplete) *complete;
    __typeof__(nvJitLinkGetLinkedCubinSize) *size;
    __typeof__(nvJitLinkGetLinkedCubin) *get;
    __typeof__(nvJitLinkGetErrorLogSize) *log_size;
    __typeof__(nvJitLinkGetErrorLog) *log;
} jit;

struct input {
    const char *name;
    size_t size;
    unsigned char *data;
};
static struct input inputs[MOST_INPUTS];
static int inputs_count;

static void check(int is_good, const char *what)
{
    if (is_good)
        return;
    fprintf(stderr, "stress: %s\n", what);
    exit(1);
}

static void set(void *function, void *library, const char *name)
{
    void *found = dlsym(library, name);
    check(found != NULL, name);
    memcpy(function, &found, sizeof found);
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    check(library != NULL, path);
    set(&jit.create, library, "nvJitLinkCreate");
    set(&jit.destroy, library, "nvJitLinkDestroy");
    set(&jit.add, library, "nvJitLinkAddData");
    set(&jit.add_file, library, "nvJitLinkAddFile");
    set(&jit.complete, library, "nvJitLinkComplete");
    set(&jit.size, library, "nvJitLinkGetLinkedCubinSize");
    set(&jit.get, library, "nvJitLinkGetLinkedCubin");
    set(&jit.log_size, library, "nvJitLinkGetErrorLogSize");
    set(&jit.log, library, "nvJitLinkGetErrorLog");
}

static void read_input(const char *path)
{
    struct input *input = &inputs[inputs_count++];
    FILE *file = fopen(path, "rb");
    check(file != NULL, path);
    input->name = path;
    input->data = malloc(LARGEST_INPUT);
    input->size = fread(input->data, 1, LARGEST_INPUT, file);
    fclose(file);
}

static nvJitLinkHandle create(void)
{
    const char *const options[] = {"-arch=sm_90", "-verbose"};
    nvJitLinkHandle handle;
    check(jit.create(&handle, 2, options) == NVJITLINK_SUCCESS, "a handle was not created");
    return handle;
}

/* Returns the output, which the caller frees, or NULL if there is none. */
static unsigned char *take_cubin(nvJitLinkHandle handle, size_t *size)
{
    if (jit.size(handle, size) != NVJITLINK_SUCCESS)
        return NULL;
    unsigned char *cubin = malloc(*size);
    check(jit.get(handle, cubin) == NVJITLINK_SUCCESS, "an output has a size but no bytes");
    return cubin;
}

static void take_log(nvJitLinkHandle handle)
{
    size_t size;
    check(jit.log_size(handle, &size) == NVJITLINK_SUCCESS, "no log");
    char *log = malloc(size + 1);
    check(jit.log(handle, log) == NVJITLINK_SUCCESS, "no log");
    check(!size || strlen(log) + 1 == size, "the log's size is wrong");
    free(log);
}

static unsigned char *expected;
static size_t expected_size;
static atomic_int remaining;

/* The work of one thread: links the first two inputs again and again, until the threads together
 * have begun all links. */
static void *link_many(void *unused)
{
    while (atomic_fetch_sub(&remaining, 1) > 0) {
        size_t size = 0;
        nvJitLinkHandle handle = create();
        for (int i = 0; i < 2; i++)
            jit.add(handle, NVJITLINK_INPUT_ANY, inputs[i].data, inputs[i].size, inputs[i].name);
        check(jit.complete(handle) == NVJITLINK_SUCCESS, "a link failed");
        unsigned char *cubin = take_cubin(handle, &size);
        check(cubin && size == expected_size && !memcmp(cubin, expected, size), "other bytes");
        free(cubin);
        jit.destroy(&handle);
    }
    return unused;
}

static void run_threads(int threads, int links)
{
    static pthread_t started[MOST_THREADS];
    nvJitLinkHandle handle = create();
    for (int i = 0; i < 2; i++)
        jit.add(handle, NVJITLINK_INPUT_ANY, inputs[i].data, inputs[i].size, inputs[i].name);
    check(jit.complete(handle) == NVJITLINK_SUCCESS, "the first link failed");
    expected = take_cubin(handle, &expected_size);
    jit.destroy(&handle);
    atomic_store(&remaining, links);
    for (int i = 0; i < threads; i++)
        check(!pthread_create(&started[i], NULL, link_many, NULL), "no thread");
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    free(expected);
}

/* Returns the next number of a pseudo-random sequence (xorshift). */
static unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void run_damage(unsigned seed, int count)
{
    unsigned state = seed * 2654435761U + 1;
    for (int run = 0; run < count; run++) {
        const struct input *input = &inputs[next_random(&state) % (unsigned)inputs_count];
        unsigned char *copy = malloc(input->size);
        memcpy(copy, input->data, input->size);
        size_t size = next_random(&state) % 4 ? input->size : 1 + next_random(&state) % input->size;
        for (unsigned i = next_random(&state) % 8; i < 8; i++)
            copy[next_random(&state) % input->size] = (unsigned char)next_random(&state);
        nvJitLinkHandle handle = create();
        jit.add(handle, NVJITLINK_INPUT_ANY, inputs[0].data, inputs[0].size, inputs[0].name);
        jit.add(handle, NVJITLINK_INPUT_ANY, copy, size, input->name);
        free(copy); /* the library has its own */
        jit.complete(handle);
        free(take_cubin(handle, &size));
        take_log(handle);
        jit.destroy(&handle);
    }
}

static void misuse(nvJitLinkHandle handle)
{
    size_t size;
    jit.add(handle, NVJITLINK_INPUT_CUBIN, NULL, 10, NULL);
    jit.add(handle, NVJITLINK_INPUT_CUBIN, inputs[0].data, 0, NULL);
    for (int type = -1; type < 12; type++)
        jit.add(handle, (nvJitLinkInputType)type, inputs[0].data, inputs[0].size, NULL);
    jit.add_file(handle, NVJITLINK_INPUT_ANY, NULL);
    jit.add_file(handle, NVJITLINK_INPUT_ANY, "/nonexistent");
    jit.size(handle, NULL);
    jit.get(handle, NULL);
    jit.log_size(handle, NULL);
    jit.log(handle, NULL);
    free(take_cubin(handle, &size));
}

static void run_misuse(void)
{
    const char *const wrong[] = {"-foo", "-arch=sm_90"};
    nvJitLinkHandle handle, copy;
    misuse(NULL);
    check(jit.create(NULL, 1, wrong) != NVJITLINK_SUCCESS, "created without a handle");
    check(jit.create(&handle, 1, NULL) != NVJITLINK_SUCCESS, "created without options");
    jit.create(&handle, 2, wrong);
    misuse(handle);
    jit.complete(handle);
    misuse(handle);
    jit.destroy(&handle);
    handle = copy = create();
    misuse(handle);
    jit.complete(handle);
    misuse(handle);
    jit.complete(handle);
    take_log(handle);
    check(jit.destroy(&handle) == NVJITLINK_SUCCESS && !handle, "not destroyed");
    misuse(copy);
    check(jit.destroy(&copy) != NVJITLINK_SUCCESS, "destroyed twice");
}

int main(int count, char **arguments)
{
    check(count > 3, "usage");
    const char *mode = arguments[2];
    int first = strcmp(mode, "misuse") ? 5 : 3;
    load(arguments[1]);
    for (int i = first; i < count && inputs_count < MOST_INPUTS; i++)
        read_input(arguments[i]);
    check(inputs_count > 1, "no inputs");
    if (!strcmp(mode, "threads"))
        run_threads(atoi(arguments[3]), atoi(arguments[4]));
    else if (!strcmp(mode, "damage"))
        run_damage((unsigned)atoi(arguments[3]), atoi(arguments[4]));
    else
        run_misuse();
    for (int i = 0; i < inputs_count; i++)
        free(inputs[i].data);
    return 0;
}
