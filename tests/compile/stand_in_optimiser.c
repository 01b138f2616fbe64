/* A stand-in for NVIDIA's optimiser, for tests on machines without it. The library has the
 * functions of nvJitLink that make PTX from LTO-IR or, with -DNVVM, functions of libnvvm.
 *
 * The PTX contains a comment for each option and each input, and then the LTO-IR inputs, each
 * without its first eight bytes. If the link has the option -r, the result is the object file that
 * the variable STAND_IN_CUBIN names. An input that contains "bad" makes the link fail, and one that
 * contains "warns" makes it report a warning. A library that is compiled with -DOLD reports version
 * 13.0, and refuses every input as LTO-IR of a newer release. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef NVVM
struct program {
    char text[1 << 16];
};

int nvvmCreateProgram(void **program)
{
    *program = calloc(1, sizeof(struct program));
    return 0;
}

int nvvmAddModuleToProgram(void *program, const char *text, size_t size, const char *name)
{
    (void)name;
    memcpy(((struct program *)program)->text, text, size);
    return 0;
}

/* Appends the ID of this process to the file that STAND_IN_PROCESSES names. If the variable
 * STAND_IN_FAULT is N, the process crashes when it compiles its Nth program. */
static void count_program(void)
{
    static int programs;
    const char *fault = getenv("STAND_IN_FAULT"), *processes = getenv("STAND_IN_PROCESSES");
    FILE *file = processes ? fopen(processes, "a") : NULL;
    if (file) {
        fprintf(file, "%ld\n", (long)getpid());
        fclose(file);
    }
    if (++programs == (fault ? atoi(fault) : 0))
        abort();
}

int nvvmCompileProgram(void *program, int count, const char **options)
{
    count_program();
    return count != 2 || strcmp(options[0], "-arch=compute_80") || strcmp(options[1], "-gen-lto") ||
           !strstr(((struct program *)program)->text, "!nvvmir.version");
}

/* The result is eight bytes, which stand for the header of LTO-IR, and the text of the module. */
int nvvmGetCompiledResultSize(void *program, size_t *size)
{
    *size = 8 + strlen(((struct program *)program)->text);
    return 0;
}

int nvvmGetCompiledResult(void *program, char *data)
{
    const char *text = ((struct program *)program)->text;
    memset(data, 'i', 8);
    memcpy(data + 8, text, strlen(text));
    return 0;
}

int nvvmGetProgramLogSize(void *program, size_t *size)
{
    (void)program;
    *size = 0;
    return 0;
}

int nvvmGetProgramLog(void *program, char *text)
{
    (void)program;
    *text = 0;
    return 0;
}

int nvvmDestroyProgram(void **program)
{
    free(*program);
    return 0;
}
#else
struct link {
    char ptx[1 << 22];
    char error[4096];
};

static void append(char *text, const char *more, size_t size)
{
    size_t end = strlen(text);
    memcpy(text + end, more, size);
    text[end + size] = 0;
}

static void append_text(char *text, const char *more)
{
    append(text, more, strlen(more));
}

int nvJitLinkCreate(void **handle, unsigned count, const char **options)
{
    struct link *link = calloc(1, sizeof *link);
    *handle = link;
    for (unsigned i = 0; i < count; i++) {
        append_text(link->ptx, "// option ");
        append_text(link->ptx, options[i]);
        append_text(link->ptx, "\n");
    }
    return 0;
}

int nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name)
{
    struct link *link = handle;
    char line[512];
    snprintf(line, sizeof line, "// input %s of type %d\n", name, type);
    append_text(link->ptx, line);
    if (type == 3 && size > 8)
        append(link->ptx, (const char *)data + 8, size - 8);
    return 0;
}

/* Waits until the file that STAND_IN_WAIT names exists, but not longer than a minute. */
static void wait_for_file(void)
{
    const char *name = getenv("STAND_IN_WAIT");
    for (int i = 0; name && access(name, F_OK) && i < 6000; i++)
        usleep(10000);
}

int nvJitLinkComplete(void *handle)
{
    struct link *link = handle;
    wait_for_file();
#ifdef OLD
    append_text(link->error, "ERROR 4 in nvvmAddNVVMContainerToProgram, may need newer version of "
                             "nvJitLink library\n");
    return 5;
#endif
    if (strstr(link->ptx, "warns"))
        append_text(link->error, "warning : it warns\n");
    if (!strstr(link->ptx, "bad"))
        return 0;
    append_text(link->error, "error   : it is bad\n");
    return 1;
}

int nvJitLinkGetLinkedPtxSize(void *handle, size_t *size)
{
    *size = strlen(((struct link *)handle)->ptx) + 1;
    return 0;
}

int nvJitLinkGetLinkedPtx(void *handle, char *ptx)
{
    strcpy(ptx, ((struct link *)handle)->ptx);
    return 0;
}

static size_t read_object(void *data, size_t size)
{
    FILE *file = fopen(getenv("STAND_IN_CUBIN"), "rb");
    if (!file)
        return 0;
    size = fread(data, 1, size, file);
    fclose(file);
    return size;
}

int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size)
{
    static char buffer[1 << 20];
    *size = read_object(buffer, sizeof buffer);
    return !strstr(((struct link *)handle)->ptx, "// option -r\n") || !*size;
}

int nvJitLinkGetLinkedCubin(void *handle, void *data)
{
    size_t size;
    return nvJitLinkGetLinkedCubinSize(handle, &size) || read_object(data, size) != size;
}

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    *major = 13;
#ifdef OLD
    *minor = 0;
#else
    *minor = 3;
#endif
    return 0;
}

int nvJitLinkGetErrorLogSize(void *handle, size_t *size)
{
    *size = strlen(((struct link *)handle)->error) + 1;
    return 0;
}

int nvJitLinkGetErrorLog(void *handle, char *text)
{
    strcpy(text, ((struct link *)handle)->error);
    return 0;
}

int nvJitLinkGetInfoLogSize(void *handle, size_t *size)
{
    (void)handle;
    *size = 0;
    return 0;
}

int nvJitLinkGetInfoLog(void *handle, char *text)
{
    (void)handle;
    *text = 0;
    return 0;
}

int nvJitLinkDestroy(void **handle)
{
    free(*handle);
    return 0;
}
#endif
