/* Runs a fuzz target on files without libFuzzer, for example on seeds and on inputs that failed
 * before. An argument is a file, or a folder whose files are read. Prints the number of inputs. A
 * target that finds a fault aborts. */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned inputs_run;

static void complain(const char *path)
{
    fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
    exit(2);
}

/* Runs the target on a copy of the file. The copy has exactly the file's size, so that
 * AddressSanitizer detects reads past its end. */
static void run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        complain(path);
    long size = ftell(file);
    uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
    rewind(file);
    if (size < 0 || !data || fread(data, 1, (size_t)size, file) != (size_t)size)
        complain(path);
    fclose(file);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
    inputs_run++;
}

static void run_path(const char *path)
{
    DIR *folder = opendir(path);
    if (!folder) {
        run_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        run_file(name);
    }
    closedir(folder);
}

int main(int count, char **arguments)
{
    for (int i = 1; i < count; i++)
        run_path(arguments[i]);
    printf("%u inputs\n", inputs_run);
    return 0;
}
