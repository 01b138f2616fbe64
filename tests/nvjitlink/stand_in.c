/* A stand-in for NVIDIA's libnvJitLink: its output is the list of the calls that it received. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int append(char *text, const char *more)
{
    strcat(text, *text ? "; " : "");
    strcat(text, more);
    return 0;
}

int nvJitLinkCreate(void **handle, uint32_t count, const char **options)
{
    *handle = calloc(1, 4096);
    for (uint32_t i = 0; i < count; i++)
        sprintf((char *)*handle + strlen(*handle), "%s%s", i ? " " : "", options[i]);
    return 0;
}

int nvJitLinkDestroy(void **handle)
{
    free(*handle);
    *handle = NULL;
    return 0;
}

int nvJitLinkAddData(void *handle, int type, const void *data, size_t size, const char *name)
{
    char text[128];
    (void)data;
    (void)size;
    snprintf(text, sizeof text, "%d %s", type, name);
    return append(handle, text);
}

int nvJitLinkComplete(void *handle)
{
    return append(handle, "complete");
}

static int size_of(const char *text, size_t *size)
{
    *size = strlen(text) + 1;
    return 0;
}

static int copy(const char *text, char *out)
{
    strcpy(out, text);
    return 0;
}

int nvJitLinkGetLinkedCubinSize(void *handle, size_t *size)
{
    return size_of(handle, size);
}
int nvJitLinkGetLinkedCubin(void *handle, char *out)
{
    return copy(handle, out);
}
int nvJitLinkGetLinkedPtxSize(void *handle, size_t *size)
{
    return size_of(handle, size);
}
int nvJitLinkGetLinkedPtx(void *handle, char *out)
{
    return copy(handle, out);
}

static const char ERRORS[] = "error log of NVIDIA's", INFOS[] = "info log of NVIDIA's";
int nvJitLinkGetErrorLogSize(void *handle, size_t *size)
{
    (void)handle;
    return size_of(ERRORS, size);
}
int nvJitLinkGetErrorLog(void *handle, char *out)
{
    (void)handle;
    return copy(ERRORS, out);
}
int nvJitLinkGetInfoLogSize(void *handle, size_t *size)
{
    (void)handle;
    return size_of(INFOS, size);
}
int nvJitLinkGetInfoLog(void *handle, char *out)
{
    (void)handle;
    return copy(INFOS, out);
}
