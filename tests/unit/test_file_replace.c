/* An output file appears complete or not at all, no matter how the process that writes it ends. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/file_sink.h"

static char folder[] = "/tmp/warpld-replace-XXXXXX";
static const char NAME[] = "output", OLDER[] = "older";
static uint8_t CONTENTS[1 << 20];

static int enter_folder(void **state)
{
    (void)state;
    memset(CONTENTS, 'c', sizeof CONTENTS);
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    unlink(NAME);
    return chdir("/") || rmdir(folder);
}

/* A child process calls `prepare`, if not NULL, before it writes. It sends `signal`, if not 0, to
 * itself when half of the file is written. */
struct child {
    void (*prepare)(void);
    int signal;
};

static bool make_contents(void *context, struct file_sink *sink)
{
    const struct child *child = context;
    file_sink_put(sink, 0, (struct bytes){CONTENTS, sizeof CONTENTS / 2});
    if (child->signal)
        raise(child->signal);
    file_sink_put(sink, sizeof CONTENTS / 2, (struct bytes){CONTENTS, sizeof CONTENTS / 2});
    return true;
}

/* Writes the file in a child process, and returns the status with which the child ends. */
static int write_in_child(struct child *child)
{
    struct file_replacement replacement = {.is_durable = false};
    int status = 0;
    pid_t process = fork();
    assert_true(process >= 0);
    if (!process) {
        if (child->prepare)
            child->prepare();
        _exit(file_replace_made(NAME, make_contents, child, &replacement));
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    return status;
}

static void assert_contents(const void *contents, size_t size)
{
    struct mapped_file file;
    assert_int_equal(file_map(&file, NAME), 0);
    assert_int_equal(file.bytes.size, size);
    assert_memory_equal(file.bytes.data, contents, size);
    file_unmap(&file);
}

static size_t count_files(void)
{
    size_t count = 0;
    DIR *entries = opendir(".");
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));)
        count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
    closedir(entries);
    return count;
}

static void skip_without_nameless_files(void)
{
    int descriptor = open(".", O_TMPFILE | O_RDWR, 0600);
    if (descriptor < 0)
        skip();
    close(descriptor);
}

static void assert_killed_and_gone(struct child child, int signal)
{
    skip_without_nameless_files();
    for (int has_older = 0; has_older < 2; has_older++) {
        unlink(NAME);
        if (has_older)
            assert_int_equal(file_replace(NAME, (struct bytes){(const uint8_t *)OLDER, 5}), 0);
        int status = write_in_child(&child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signal);
        assert_int_equal(count_files(), has_older);
        if (has_older)
            assert_contents(OLDER, 5);
    }
}

static void a_killed_process_leaves_nothing(void **state)
{
    (void)state;
    assert_killed_and_gone((struct child){.signal = SIGKILL}, SIGKILL);
    assert_killed_and_gone((struct child){.signal = SIGTERM}, SIGTERM);
}

/* Limits the size of files, which makes a write fail with SIGXFSZ. The limit on core files keeps
 * the signal from writing one. */
static void limit_file_size(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){sizeof CONTENTS / 4, sizeof CONTENTS / 4});
}

static void a_limit_of_files_leaves_nothing(void **state)
{
    (void)state;
    assert_killed_and_gone((struct child){.prepare = limit_file_size}, SIGXFSZ);
}

/* --------------------------------------------------------------------------------------------- */
/* Systems whose calls fail                                                                      */

enum { NO_FILTERS = 200 }; /* more than any error */

/* Installs a filter that makes the system call number `call` fail with `error` if its argument with
 * the index `argument` has any of `bits`. */
static void refuse(uint32_t call, unsigned argument, uint32_t bits, uint32_t error)
{
    uint32_t place = (uint32_t)offsetof(struct seccomp_data, args) + 8 * argument;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, place),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        _exit(NO_FILTERS);
}

static void refuse_nameless_files(void)
{
    refuse(SYS_openat, 2, O_TMPFILE & ~O_DIRECTORY, EOPNOTSUPP);
}

static void refuse_names_by_descriptor(void)
{
    refuse(SYS_linkat, 4, AT_EMPTY_PATH, ENOENT);
}

static void refuse_names(void)
{
    refuse(SYS_linkat, 4, UINT32_MAX, ENOENT);
}

static void assert_written_all_the_same(void (*prepare)(void))
{
    unlink(NAME);
    for (int has_older = 0; has_older < 2; has_older++) {
        struct child child = {.prepare = prepare};
        int status = write_in_child(&child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
            skip();
        assert_int_equal(status, 0);
        assert_int_equal(count_files(), 1);
        assert_contents(CONTENTS, sizeof CONTENTS);
    }
}

static void a_file_system_without_nameless_files(void **state)
{
    (void)state;
    assert_written_all_the_same(refuse_nameless_files);
}

/* The output is written to a file without a name, which linkat names at the end. Before Linux 6.10,
 * linkat needs the file's path in /proc unless the process has privileges. Without /proc it fails.
 * The output must still be complete. */
static void a_system_that_gives_them_no_names(void **state)
{
    (void)state;
    assert_written_all_the_same(refuse_names_by_descriptor);
    assert_written_all_the_same(refuse_names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_process_leaves_nothing),
        cmocka_unit_test(a_limit_of_files_leaves_nothing),
        cmocka_unit_test(a_file_system_without_nameless_files),
        cmocka_unit_test(a_system_that_gives_them_no_names),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
