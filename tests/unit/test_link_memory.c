/* Limits on the memory of a link. A link that runs out of memory leaves no file open or mapped. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/model/link_context.h"
#include "warpld.h"

static struct warpld_link *create(void)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.as_nvlink = true;
    struct warpld_link *link;
    assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
    return link;
}

/* Makes a file in a new folder. Returns its path, which the caller frees. */
static char *make_file(const char *name, const void *contents, size_t size)
{
    char folder[] = "/tmp/warpld-memory-XXXXXX", path[256];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(contents, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return strdup(path);
}

static void remove_file(char *path)
{
    assert_int_equal(unlink(path), 0);
    *strrchr(path, '/') = '\0';
    assert_int_equal(rmdir(path), 0);
    free(path);
}

static const char NO_CODE[60000] = "no device code";

/* Makes a thin archive that lists the file `member` twice; the content of that file is NO_CODE.
 * Returns the size of the archive. */
static size_t name_twice(char *archive, size_t room, const char *member)
{
    int size = snprintf(archive, room, "!<thin>\n%-16s%-12d%-6d%-6d%-8d%-10zu`\n%s/\n%s", "//", 0,
                        0, 0, 644, strlen(member) + 2, member, strlen(member) % 2 ? "\n" : "");
    for (int twice = 0; twice < 2; twice++)
        size += snprintf(archive + size, room - (size_t)size, "%-16s%-12d%-6d%-6d%-8d%-10zu`\n",
                         "/0", 0, 0, 0, 644, sizeof NO_CODE);
    return (size_t)size;
}

/* The limit on memory grows with the bytes of the inputs. Members of a thin archive must count as
 * inputs: an archive of 2.4 MB can have 40,000 members of 60 KB. A file that is listed twice counts
 * once. */
static void members_of_thin_archives_count_as_inputs(void **state)
{
    (void)state;
    static const uint64_t ALWAYS = 1 << 30, FOR_EACH_BYTE = 256;
    char archive[512], *member = make_file("member.o", NO_CODE, sizeof NO_CODE);
    size_t size = name_twice(archive, sizeof archive, member);
    char *path = make_file("libthin.a", archive, size);
    struct warpld_link *link = create();
    assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    struct warpld_statistics statistics = {.size = sizeof statistics};
    assert_int_equal(warpld_get_statistics(link, &statistics), WARPLD_OK);
    assert_int_equal(statistics.input_bytes, size + sizeof NO_CODE);
    assert_int_equal(link->arena.limit, ALWAYS + FOR_EACH_BYTE * statistics.input_bytes);
    warpld_destroy(link);
    remove_file(path);
    remove_file(member);
}

/* If a thin archive is passed as bytes, the library does not open the files that it names. */
static void thin_archives_in_memory_name_no_files(void **state)
{
    (void)state;
    char archive[512], *member = make_file("member.o", NO_CODE, sizeof NO_CODE);
    size_t size = name_twice(archive, sizeof archive, member);
    struct warpld_link *link = create();
    assert_int_equal(warpld_add_memory(link, "libthin.a", archive, size), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_ERROR_FATAL);
    struct warpld_statistics statistics = {.size = sizeof statistics};
    assert_int_equal(warpld_get_statistics(link, &statistics), WARPLD_OK);
    assert_int_equal(statistics.input_bytes, size);
    warpld_destroy(link);
    remove_file(member);
}

/* Makes the next allocation of more than `left` bytes fail. */
static void leave_memory(struct warpld_link *link, size_t left)
{
    while ((size_t)(link->arena.end - link->arena.next) > left)
        arena_alloc(&link->arena, 1);
    link->arena.limit = link->arena.reserved;
}

static void count_memory_message(void *context, const struct warpld_diagnostic *diagnostic)
{
    *(int *)context +=
        diagnostic->severity == WARPLD_FATAL && !strcmp(diagnostic->code, "out-of-memory");
}

/* Each call that adds an input can be the first to run out of memory. Then the calls that follow
 * and warpld_run fail for the same reason. The message is reported once. */
static void inputs_without_memory(void **state)
{
    (void)state;
    enum { MEMORY, PATH, LIBRARY, KINDS };
    for (int first = 0; first < KINDS; first++) {
        int messages = 0;
        struct warpld_options options = WARPLD_OPTIONS_INIT;
        struct warpld_link *link;
        options.architecture = "sm_80";
        options.diagnostic = count_memory_message;
        options.diagnostic_context = &messages;
        assert_int_equal(warpld_create(&options, &link), WARPLD_OK);
        leave_memory(link, 0);
        for (int i = 0; i < KINDS; i++) {
            int kind = (first + i) % KINDS;
            enum warpld_status status = kind == MEMORY ? warpld_add_memory(link, "x", "x", 1)
                                        : kind == PATH ? warpld_add_file(link, "x")
                                                       : warpld_add_library(link, "x");
            assert_int_equal(status, WARPLD_ERROR_MEMORY);
            assert_int_equal(messages, 1);
            link->arena.limit = 0; /* there is memory again, but the input is still missing */
        }
        assert_int_equal(warpld_run(link), WARPLD_ERROR_MEMORY);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_MEMORY);
        assert_int_equal(messages, 1);
        warpld_destroy(link);
    }
}

static size_t count_descriptors(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static size_t count_mappings(const char *path)
{
    size_t count = 0;
    char line[1024];
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        count += strstr(line, path) != NULL;
    fclose(maps);
    return count;
}

static void no_file_stays_open(void **state)
{
    (void)state;
    static const char TEXT[60000];
    size_t before = count_descriptors();
    char *path = make_file("input.o", TEXT, sizeof TEXT);
    for (unsigned i = 0; i < 3; i++) {
        struct warpld_link *link = create();
        assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
        leave_memory(link, 0);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_MEMORY);
        warpld_destroy(link);
    }
    assert_int_equal(count_descriptors(), before);
    remove_file(path);
}

/* Searches for a library many times. Each time slightly more memory is left, so that the search
 * fails at another point. */
static void search_with_little_memory(const char *archive, size_t size)
{
    size_t failed = 0, descriptors = count_descriptors();
    char *path = make_file("libx.a", archive, size);
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    for (size_t left = 0; left < 2000; left += ARENA_ALIGNMENT) {
        struct warpld_link *link = create();
        link->options.library_paths = (const char *const[]){folder, folder, folder};
        link->options.library_paths_count = 3;
        leave_memory(link, left);
        failed += warpld_add_library(link, "x") == WARPLD_ERROR_MEMORY;
        warpld_destroy(link);
        assert_int_equal(count_mappings(path), 0);
    }
    assert_true(failed > 0);
    assert_int_equal(count_descriptors(), descriptors);
    free(folder);
    remove_file(path);
}

static void no_library_stays_mapped(void **state)
{
    (void)state;
    static char archive[100000];
    int size = snprintf(archive, sizeof archive, "!<arch>\n%-16s%-12d%-6d%-6d%-8d%-10d`\n%s", "a/",
                        0, 0, 0, 644, 13, ".version 8.0\n");
    search_with_little_memory(archive, sizeof archive);
    memset(archive, 0, (size_t)size);
    strcpy(archive, "!<arch>\n"); /* so that no member is known to fit the target */
    search_with_little_memory(archive, sizeof archive);
}

/* Limits the process's address space to `more` bytes beyond its present size. Returns the old
 * limit. */
static struct rlimit limit_addresses(size_t more)
{
    unsigned long pages = 0;
    struct rlimit before;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%lu", &pages), 1);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    struct rlimit limit = {pages * (rlim_t)sysconf(_SC_PAGESIZE) + more, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
    return before;
}

/* A file of 1 GB does not fit in the address space. A link of one file reads it on the main thread,
 * a link of many files on another thread. */
static void a_file_that_memory_has_no_place_for(void **state)
{
    (void)state;
    enum { MANY = 250, LARGE = 1 << 30 };
    static const size_t COUNTS[] = {1, MANY};
    char *path = make_file("libx.a", "!<arch>\n", 8);
    assert_int_equal(truncate(path, LARGE), 0);
    char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    struct rlimit before = limit_addresses(LARGE / 2);
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        struct warpld_link *link = create();
        link->options.threads = 2;
        for (size_t file = 0; file < COUNTS[i]; file++)
            assert_int_equal(warpld_add_file(link, path), WARPLD_OK);
        assert_int_equal(warpld_run(link), WARPLD_ERROR_MEMORY);
        warpld_destroy(link);
    }
    struct warpld_link *link = create();
    link->options.library_paths = (const char *const[]){folder};
    link->options.library_paths_count = 1;
    assert_int_equal(warpld_add_library(link, "x"), WARPLD_ERROR_MEMORY);
    warpld_destroy(link);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(count_mappings(path), 0);
    free(folder);
    remove_file(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_thin_archives_count_as_inputs),
        cmocka_unit_test(thin_archives_in_memory_name_no_files),
        cmocka_unit_test(inputs_without_memory),
        cmocka_unit_test(no_file_stays_open),
        cmocka_unit_test(no_library_stays_mapped),
        cmocka_unit_test(a_file_that_memory_has_no_place_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
