/* Links two cubins in memory and prints the resources of the kernels:
 * link_two_buffers ARCH A.cubin B.cubin OUT.cubin */
#include <stdio.h>
#include <stdlib.h>
#include <warpld.h>

static void print(void *context, const struct warpld_diagnostic *diagnostic)
{
    (void)context;
    fprintf(stderr, "%s: %s\n", diagnostic->code, diagnostic->text);
}

/* A compiler would already have the cubins in memory. This example reads them from files. */
static size_t read_file(const char *path, char *buffer, size_t capacity)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(buffer, 1, capacity, file) : 0;
    if (file)
        fclose(file);
    return size;
}

static void print_kernels(struct warpld_link *link)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    for (size_t i = 0; warpld_get_kernel(link, i, &kernel) == WARPLD_OK; i++)
        printf("%s: %u registers, %llu bytes of stack, %llu bytes of shared memory\n", kernel.name,
               (unsigned)kernel.registers, (unsigned long long)kernel.stack_bytes,
               (unsigned long long)kernel.shared_bytes);
}

int main(int argc, char **argv)
{
    static char a[1 << 20], b[1 << 20];
    if (argc != 5)
        return EXIT_FAILURE;
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = argv[1];
    options.diagnostic = print;
    struct warpld_link *link;
    enum warpld_status status = warpld_create(&options, &link);
    if (status != WARPLD_OK) {
        fprintf(stderr, "cannot create a link: %s\n", warpld_status_name(status));
        return EXIT_FAILURE;
    }
    warpld_add_memory(link, argv[2], a, read_file(argv[2], a, sizeof a));
    warpld_add_memory(link, argv[3], b, read_file(argv[3], b, sizeof b));
    status = warpld_run(link);
    if (status == WARPLD_OK)
        status = warpld_write(link, argv[4]);
    if (status == WARPLD_OK)
        print_kernels(link);
    warpld_destroy(link);
    return status == WARPLD_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
