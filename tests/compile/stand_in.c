/* A stand-in for NVIDIA's PTX compiler, for tests on machines without it. The library has the
 * functions of nvPTXCompiler or, with -DJITLINK, those of nvJitLink 13. The result of each
 * compilation is the file that the variable STAND_IN_CUBIN names, and the messages list the
 * options. PTX that contains "bad" is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct compilation {
    char info[4096];
    char error[4096];
    char *cubin;
    size_t size;
};

static void read_cubin(struct compilation *compilation)
{
    FILE *stream = fopen(getenv("STAND_IN_CUBIN"), "rb");
    compilation->cubin = malloc(1 << 20);
    compilation->size = fread(compilation->cubin, 1, 1 << 20, stream);
    fclose(stream);
}

static void add_options(struct compilation *compilation, int count, const char *const *options)
{
    strcat(compilation->info, "ptxas info    : options");
    for (int i = 0; i < count; i++) {
        strcat(compilation->info, " ");
        strcat(compilation->info, options[i]);
    }
    strcat(compilation->info, "\nptxas         .     continued\n");
}

/* Returns 0, or 3 if the PTX contains "bad" or if no NUL follows its `size` bytes. */
static int compile(struct compilation *compilation, const char *ptx, size_t size)
{
    if (strlen(ptx) != size) {
        strcat(compilation->error, "ptxas fatal   : no NUL after the text\n");
        return 3;
    }
    if (strstr(ptx, "bad")) {
        strcat(compilation->error, "ptxas application ptx input, line 1; error   : bad text\n"
                                   "ptxas fatal   : Ptx assembly aborted due to errors\n");
        return 3;
    }
    read_cubin(compilation);
    return 0;
}

static int put_text(const char *text, char *out)
{
    strcpy(out, text);
    return 0;
}

#ifdef JITLINK
#define NAME(name)  nvJitLink##name
#define CUBIN(name) nvJitLinkGetLinkedCubin##name
#else
#define NAME(name)  nvPTXCompiler##name
#define CUBIN(name) nvPTXCompilerGetCompiledProgram##name
static const char *text;
static size_t text_size;
#endif

#ifdef JITLINK
#ifdef OURS
/* Disguises the library as warpld's libnvJitLink, which warpld recognises by this section. */
__attribute__((used, section(".warpld.nvjitlink"))) static const char OWN_MARK[] = "warpld";
#endif

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = MAJOR;
    *minor = 0;
    return 0;
}

int nvJitLinkCreate(struct compilation **handle, unsigned count, const char *const *options)
{
    *handle = calloc(1, sizeof **handle);
    add_options(*handle, (int)count, options);
    return 0;
}

int nvJitLinkAddData(struct compilation *handle, int type, const void *data, size_t size,
                     const char *name)
{
    if (type != 2 || strcmp(name, "application ptx input") != 0)
        return 5;
    int error = compile(handle, data, size - 1);
    if (error)
        strcat(handle->error, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX\n");
    return error;
}

int nvJitLinkComplete(struct compilation *handle)
{
    (void)handle;
    return 0;
}
#else
int nvPTXCompilerCreate(struct compilation **handle, size_t size, const char *ptx)
{
    *handle = calloc(1, sizeof **handle);
    text = ptx;
    text_size = size;
    return 0;
}

int nvPTXCompilerCompile(struct compilation *handle, int count, const char *const *options)
{
    add_options(handle, count, options);
    return compile(handle, text, text_size);
}
#endif

int CUBIN(Size)(struct compilation *handle, size_t *size)
{
    *size = handle->size;
    return 0;
}

int CUBIN()(struct compilation *handle, void *out)
{
    memcpy(out, handle->cubin, handle->size);
    return 0;
}

int NAME(GetErrorLogSize)(struct compilation *handle, size_t *size)
{
    *size = strlen(handle->error) + 1;
    return 0;
}

int NAME(GetErrorLog)(struct compilation *handle, char *out)
{
    return put_text(handle->error, out);
}

int NAME(GetInfoLogSize)(struct compilation *handle, size_t *size)
{
    *size = strlen(handle->info) + 1;
    return 0;
}

int NAME(GetInfoLog)(struct compilation *handle, char *out)
{
    return put_text(handle->info, out);
}

int NAME(Destroy)(struct compilation **handle)
{
    free((*handle)->cubin);
    free(*handle);
    *handle = NULL;
    return 0;
}
