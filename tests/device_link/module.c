/* Contains what a device link needs of a host object. nvcc puts the same parts into the object of a
 * source file with relocatable device code. The compiler's command line defines three macros: ID is
 * the identifier of the module, FATBIN the file of the fat binary, and CONTENT the symbol at the
 * fat binary's first byte. */
#include <stdio.h>

#define JOIN_(first, second) first##second
#define JOIN(first, second)  JOIN_(first, second)
#define TEXT_(name)          #name
#define TEXT(name)           TEXT_(name)

typedef void register_function(void **handle);

extern const unsigned char CONTENT[];
void JOIN(__cudaRegisterLinkedBinary, ID)(register_function *callback, void *second, void *third,
                                          void (*take_id)(void *));
void __cudaRegisterFunction(void **handle, const char *stub, char *name, const char *device_name);

__asm__(".section __nv_relfatbin, \"a\"\n.balign 8\n" TEXT(CONTENT) ": .incbin \"" FATBIN "\"\n"
        ".section __nv_module_id, \"a\"\n.string \"" TEXT(ID) "\"\n.text\n");

const struct {
    int magic, version;
    const void *data;
    void *modules;
} JOIN(__fatbinwrap, ID) __attribute__((section(".nvFatBinSegment"))) = {0x466243b1, 1, CONTENT, 0};

static void register_entities(void **handle)
{
    __cudaRegisterFunction(handle, TEXT(ID), TEXT(ID), TEXT(ID));
}

static void take_id(void *holder)
{
    printf("id: %s\n", *(const char **)holder);
}

__attribute__((constructor)) static void register_module(void)
{
    JOIN(__cudaRegisterLinkedBinary, ID)(register_entities, 0, 0, take_id);
}
