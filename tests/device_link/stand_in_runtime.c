/* Stands in for the CUDA runtime. Prints what a program registers, but no addresses, which would
 * differ between runs. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct fat_binary {
    int magic;
    int version;
    const unsigned char *data;
    const unsigned char *const *modules;
};

static const void *handles[64];
static int handle_count;

static int number_of(void **handle)
{
    for (int i = 0; i < handle_count; i++)
        if (handle == (void **)&handles[i])
            return i;
    return -1;
}

/* Prints the kind and the target of each image in a fat binary. */
static void print_images(const unsigned char *data)
{
    uint64_t size, payload;
    uint32_t header, sm;
    memcpy(&size, data + 8, sizeof size);
    for (const unsigned char *image = data + 16; image < data + 16 + size;
         image += header + payload) {
        memcpy(&header, image + 4, sizeof header);
        memcpy(&payload, image + 8, sizeof payload);
        memcpy(&sm, image + 28, sizeof sm);
        printf(" kind %d sm %u", image[0], sm);
    }
}

void **__cudaRegisterFatBinary(const struct fat_binary *binary)
{
    printf("fat binary: magic %x version %d images", (unsigned)binary->magic, binary->version);
    print_images(binary->data);
    for (const unsigned char *const *module = binary->modules;
         binary->version == 2 && *module; module++) {
        printf("; module with");
        print_images(*module);
    }
    printf("\n");
    return (void **)&handles[handle_count++];
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
    printf("end of %d\n", number_of(handle));
}

void __cudaUnregisterFatBinary(void **handle)
{
    printf("unregister %d\n", number_of(handle));
}

void __cudaRegisterFunction(void **handle, const char *stub, char *name, const char *device_name)
{
    (void)stub;
    printf("function of %d: %s %s\n", number_of(handle), name, device_name);
}

void __cudaRegisterVar(void **handle, char *variable, char *address, const char *name, int external,
                       size_t size, int constant, int global)
{
    (void)variable;
    (void)address;
    printf("variable of %d: %s %d %zu %d %d\n", number_of(handle), name, external, size, constant,
           global);
}

void __cudaRegisterManagedVar(void **handle, void **variable, char *address, const char *name,
                              int external, size_t size, int constant, int global)
{
    (void)variable;
    (void)address;
    printf("managed of %d: %s %d %zu %d %d\n", number_of(handle), name, external, size, constant,
           global);
}

char __cudaInitModule(void **handle)
{
    printf("init %d\n", number_of(handle));
    return 1;
}

int __cudaPushCallConfiguration(void)
{
    return 0;
}

int __cudaPopCallConfiguration(void)
{
    return 0;
}

int __cudaGetKernel(void)
{
    return 0;
}

int __cudaLaunchKernel(void)
{
    return 0;
}

int cudaLaunchKernel(void)
{
    return 0;
}

int cudaLaunchKernelExC(void)
{
    return 0;
}
