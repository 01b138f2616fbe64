/* How much memory a link may take, and that one which fails for want of it loses nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "link/link.h"
#include "warpld.h"

static struct warpld_link *create(void)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    options.architecture = "sm_80";
    options.as_nvlink = true;
    struct warpld_link *link = warpld_create(&options);
    assert_non_null(link);
    return link;
}

/* A file in a new folder; the caller frees the name. */
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

/* 40,000 members of 60 KB in 2.4 MB ended in "Out of memory". */
static void members_of_thin_archives_count_as_inputs(void **state)
{
    (void)state;
    static const char TEXT[60000] = "no device code";
    static const uint64_t ALWAYS = 1 << 30, FOR_EACH_BYTE = 256;
    char archive[512], *member = make_file("member.o", TEXT, sizeof TEXT);
    int size =
        snprintf(archive, sizeof archive, "!<thin>\n%-16s%-12d%-6d%-6d%-8d%-10zu`\n%s/\n%s", "//",
                 0, 0, 0, 644, strlen(member) + 2, member, strlen(member) % 2 ? "\n" : "");
    size += snprintf(archive + size, sizeof archive - (size_t)size,
                     "%-16s%-12d%-6d%-6d%-8d%-10zu`\n", "/0", 0, 0, 0, 644, sizeof TEXT);
    struct warpld_link *link = create();
    assert_int_equal(warpld_add_memory(link, "libthin.a", archive, (size_t)size), WARPLD_OK);
    assert_int_equal(warpld_run(link), WARPLD_OK);
    struct warpld_statistics statistics = {.size = sizeof statistics};
    assert_true(warpld_statistics(link, &statistics));
    assert_int_equal(statistics.input_bytes, (size_t)size + sizeof TEXT);
    assert_int_equal(link->arena.limit, ALWAYS + FOR_EACH_BYTE * statistics.input_bytes);
    warpld_destroy(link);
    remove_file(member);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_of_thin_archives_count_as_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
