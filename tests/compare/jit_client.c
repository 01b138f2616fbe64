/* A program that links files with a library that has the interface of libnvJitLink. The dynamic
 * linker chooses the library: NVIDIA's or warpld's.
 *
 *     jit_client OUTPUT OPTION... -- KIND:FILE...
 *
 * For the KINDs cubin, ptx and any, the program passes the content of FILE to the library. For the
 * KIND file, it passes the path. It prints the result code of each call, the error log and the info
 * log, and writes the cubin to OUTPUT.
 *
 * jit.py compiles this file with NVIDIA's header, and the Makefile compiles it with
 * warpld_nvjitlink.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef WARPLD_CLIENT_OF_NVIDIA
#include <nvJitLink.h>
#else
#include "warpld_nvjitlink.h"
#endif

static const struct kind {
    const char *name;
    nvJitLinkInputType type;
} KINDS[] = {
    {"cubin", NVJITLINK_INPUT_CUBIN},
    {"ptx", NVJITLINK_INPUT_PTX},
    {"any", NVJITLINK_INPUT_ANY},
    {"file", NVJITLINK_INPUT_ANY},
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

static void *allocate(size_t size)
{
    void *block = calloc(1, size + 1);
    if (!block)
        exit(2);
    return block;
}

/* Returns the content of the file, followed by a NUL that *size does not count. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        exit(2);
    *size = (size_t)ftell(file);
    rewind(file);
    char *content = allocate(*size);
    if (fread(content, 1, *size, file) != *size || fclose(file))
        exit(2);
    return content;
}

/* Adds an input. Its content is never freed, because some libraries read it again in
 * nvJitLinkComplete. */
static nvJitLinkResult add(nvJitLinkHandle link, char *argument)
{
    char *path = strchr(argument, ':');
    if (!path)
        exit(2);
    *path++ = '\0';
    size_t i = 0, size;
    while (i < KIND_COUNT && strcmp(argument, KINDS[i].name) != 0)
        i++;
    if (i == KIND_COUNT)
        exit(2);
    if (!strcmp(argument, "file"))
        return nvJitLinkAddFile(link, KINDS[i].type, path);
    char *content = read_file(path, &size);
    size += KINDS[i].type == NVJITLINK_INPUT_PTX; /* libnvJitLink counts the NUL of PTX text */
    return nvJitLinkAddData(link, KINDS[i].type, content, size, path);
}

static void print_logs(nvJitLinkHandle link)
{
    size_t size = 0;
    if (!nvJitLinkGetErrorLogSize(link, &size) && size) {
        char *log = allocate(size);
        nvJitLinkGetErrorLog(link, log);
        printf("%s", log);
        free(log);
    }
    size = 0;
    if (!nvJitLinkGetInfoLogSize(link, &size) && size) {
        char *log = allocate(size);
        nvJitLinkGetInfoLog(link, log);
        printf("%s", log);
        free(log);
    }
}

static nvJitLinkResult write_cubin(nvJitLinkHandle link, const char *path)
{
    size_t size = 0;
    nvJitLinkResult result = nvJitLinkGetLinkedCubinSize(link, &size);
    if (result != NVJITLINK_SUCCESS)
        return result;
    char *cubin = allocate(size);
    result = nvJitLinkGetLinkedCubin(link, cubin);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(cubin, 1, size, file) != size || fclose(file))
        exit(2);
    free(cubin);
    return result;
}

int main(int count, char **arguments)
{
    int options = 0;
    while (2 + options < count && strcmp(arguments[2 + options], "--") != 0)
        options++;
    if (2 + options >= count)
        return 2;
    nvJitLinkHandle link;
    nvJitLinkResult result =
        nvJitLinkCreate(&link, (unsigned)options, (const char **)&arguments[2]);
    printf("create %d\n", (int)result);
    if (result == NVJITLINK_SUCCESS) {
        for (int i = 3 + options; i < count; i++)
            printf("add %d\n", (int)add(link, arguments[i]));
        printf("complete %d\n", (int)nvJitLinkComplete(link));
        printf("cubin %d\n", (int)write_cubin(link, arguments[1]));
    }
    print_logs(link);
    printf("destroy %d\n", (int)nvJitLinkDestroy(&link));
    return 0;
}
