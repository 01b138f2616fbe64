/* The library starts programs, also in a process that ignores signals. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "compile/process.h"

static void give_up(void *owner)
{
    (void)owner;
    abort();
}

/* Returns the set of signals that a started program ignores. The program is grep, which prints them
 * as a line of /proc/self/status. */
static uint64_t ignored_by_program(void)
{
    static const char *const ARGUMENTS[] = {"grep", "SigIgn", "/proc/self/status", NULL};
    const struct process_plan plan = {.arguments = ARGUMENTS};
    struct arena arena;
    arena_init(&arena, give_up, NULL);
    const char *line = process_answer(&arena, &plan, PROCESS_OUTPUT);
    assert_non_null(line);
    uint64_t signals = strtoull(line + strlen("SigIgn:\t"), NULL, 16);
    arena_destroy(&arena);
    return signals;
}

static void programs_do_not_inherit_ignored_signals(void **state)
{
    static const int SIGNALS[] = {SIGCHLD, SIGPIPE, SIGXFSZ};
    (void)state;
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        signal(SIGNALS[i], SIG_IGN);
        uint64_t ignored = ignored_by_program();
        struct sigaction own;
        sigaction(SIGNALS[i], NULL, &own);
        signal(SIGNALS[i], SIG_DFL);
        assert_int_equal(ignored & UINT64_C(1) << (SIGNALS[i] - 1), 0);
        assert_ptr_equal(own.sa_handler, SIG_IGN);
    }
}

static struct process_result run_shell(const char *line)
{
    const char *const arguments[] = {"sh", "-c", line, NULL};
    const struct process_plan plan = {.arguments = arguments};
    const struct process_watch watch = {.seconds = 60};
    pid_t process;
    assert_int_equal(process_start(&plan, &process), 0);
    return process_wait(process, &watch);
}

static void the_end_of_a_program_is_known(void **state)
{
    (void)state;
    struct process_result result = run_shell("exit 3");
    assert_int_equal(result.end, PROCESS_FAILED);
    assert_int_equal(result.status, 3);
    assert_int_equal(result.signal, 0);
    result = run_shell("kill -SEGV $$");
    assert_int_equal(result.end, PROCESS_FAILED);
    assert_int_equal(result.status, 0);
    assert_int_equal(result.signal, SIGSEGV);
}

/* If a process ignores SIGCHLD, the system does not report the exit status of its children. The
 * library then reports success, and the caller must check the program's output. */
static void it_is_unknown_if_children_are_ignored(void **state)
{
    (void)state;
    signal(SIGCHLD, SIG_IGN);
    struct process_result result = run_shell("exit 3");
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(result.end, PROCESS_SUCCEEDED);
    assert_int_equal(result.status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_do_not_inherit_ignored_signals),
        cmocka_unit_test(the_end_of_a_program_is_known),
        cmocka_unit_test(it_is_unknown_if_children_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
