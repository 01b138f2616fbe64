/* A library for LD_PRELOAD that makes one call of the C library fail. Environment variables choose
 * the call and how it fails:
 *
 *     FAULT=pwrite:2:ENOSPC          the second pwrite fails with this error
 *     FAULT=pwrite:2:ENOSPC:on       the second pwrite and all later ones fail
 *     FAULT=openat:1:...             the first call of open or openat fails; both count as openat
 *     FAULT_COUNTS=FILE              at the end, writes "NAME CALLS EFFECTS" for each call that
 *                                    calls.def lists
 *     FAULT_NO_NAMELESS=1            files cannot be opened with O_TMPFILE, as in some file systems
 *                                    and sandboxes
 *
 * Programs that the tested program starts run without the library.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* An effect on a call is a positive errno value, or one of these numbers: the call works, transfers
 * only half of its bytes, or transfers none and returns 0. */
enum { WORKS = 0, IS_SHORT = -1, IS_ZERO = -2 };

static const struct effect {
    const char *name;
    int number;
} EFFECTS[] = {
#define ERROR(name)                                                                                \
    {                                                                                              \
#name, name                                                                                \
    }
    {"SHORT", IS_SHORT}, {"ZERO", IS_ZERO}, ERROR(EACCES), ERROR(EAGAIN), ERROR(EDQUOT),
    ERROR(EEXIST),       ERROR(EFBIG),      ERROR(EINTR),  ERROR(EINVAL), ERROR(EIO),
    ERROR(EISDIR),       ERROR(EMFILE),     ERROR(ENFILE), ERROR(ENODEV), ERROR(ENOENT),
    ERROR(ENOLCK),       ERROR(ENOMEM),     ERROR(ENOSPC), ERROR(ENOSYS), ERROR(EOPNOTSUPP),
    ERROR(EOVERFLOW),    ERROR(EPERM),      ERROR(EPIPE),  ERROR(EROFS),  ERROR(ESPIPE),
    ERROR(EWOULDBLOCK),
};

enum call {
#define FAILS(result, name, parameters, arguments, failure, effects) CALL_##name,
#define ENDS(result, name, parameters, arguments, failure, effects)  CALL_##name,
#define FAILS_WITH_NUMBER(name, parameters, arguments, effects)      CALL_##name,
#define MOVES(name, parameters, size, arguments, effects)            CALL_##name,
#define BY_HAND(name, effects)                                       CALL_##name,
#include "calls.def"
#undef FAILS
#undef ENDS
#undef FAILS_WITH_NUMBER
#undef MOVES
#undef BY_HAND
    CALLS
};

#define OF_MOVE " SHORT ZERO"
static struct call_state {
    const char *name, *effects;
    atomic_ullong count;
} calls[CALLS] = {
#define FAILS(result, name, parameters, arguments, failure, effects) {#name, effects, 0},
#define ENDS(result, name, parameters, arguments, failure, effects)  {#name, effects, 0},
#define FAILS_WITH_NUMBER(name, parameters, arguments, effects)      {#name, effects, 0},
#define MOVES(name, parameters, size, arguments, effects)            {#name, effects OF_MOVE, 0},
#define BY_HAND(name, effects)                                       {#name, effects, 0},
#include "calls.def"
#undef FAILS
#undef ENDS
#undef FAILS_WITH_NUMBER
#undef MOVES
#undef BY_HAND
};

static struct fault {
    int call, effect;
    unsigned long long number;
    bool goes_on, has_no_nameless;
} fault = {.call = -1};

/* --------------------------------------------------------------------------------------------- */
/* The fault, and the call that it affects                                                       */

static int find_call(const char *name)
{
    for (int i = 0; i < CALLS; i++)
        if (!strcmp(calls[i].name, name))
            return i;
    return -1;
}

static int find_effect(const char *name)
{
    for (size_t i = 0; i < sizeof EFFECTS / sizeof *EFFECTS; i++)
        if (!strcmp(EFFECTS[i].name, name))
            return EFFECTS[i].number;
    return WORKS;
}

/* Reads the value of the variable FAULT. Ends the program if the call or the effect is unknown,
 * because a fault that never occurs would test nothing. */
static void read_fault(const char *text)
{
    char call[64], effect[16], more[4] = "";
    int count = sscanf(text, "%63[^:]:%llu:%15[^:]:%3s", call, &fault.number, effect, more);
    fault.call = find_call(call);
    fault.effect = find_effect(effect);
    fault.goes_on = !strcmp(more, "on");
    if (count < 3 || fault.call < 0 || !fault.effect)
        _exit(125);
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("FAULT");
    fault.has_no_nameless = getenv("FAULT_NO_NAMELESS") != NULL;
    unsetenv("LD_PRELOAD");
    if (text)
        read_fault(text);
    for (int i = 0; i < CALLS; i++)
        calls[i].count = 0;
}

static int effect_of(enum call call)
{
    unsigned long long number = 1 + atomic_fetch_add(&calls[call].count, 1);
    bool is_hit = fault.goes_on ? number >= fault.number : number == fault.number;
    if ((int)call != fault.call || !is_hit)
        return WORKS;
    if (fault.effect > 0)
        errno = fault.effect;
    return fault.effect;
}

/* --------------------------------------------------------------------------------------------- */
/* The calls                                                                                     */

/* The C library's allocation functions under the names that this library does not replace. dlsym
 * cannot look up malloc, because dlsym itself calls it. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

typedef void any_function(void);

static any_function *real(const char *name)
{
    if (!strcmp(name, "malloc"))
        return (any_function *)__libc_malloc;
    if (!strcmp(name, "calloc"))
        return (any_function *)__libc_calloc;
    if (!strcmp(name, "realloc"))
        return (any_function *)__libc_realloc;
    void *found = dlsym(RTLD_NEXT, name);
    any_function *function;
    memcpy(&function, &found, sizeof function);
    return function;
}

#define REAL(result, name, parameters) ((result(*) parameters)real(#name))

#define FAILS(result, name, parameters, arguments, failure, effects)                               \
    result name parameters                                                                         \
    {                                                                                              \
        return effect_of(CALL_##name) ? failure : REAL(result, name, parameters) arguments;        \
    }
#define ENDS(result, name, parameters, arguments, failure, effects)                                \
    result name parameters                                                                         \
    {                                                                                              \
        result made = REAL(result, name, parameters) arguments;                                    \
        return effect_of(CALL_##name) ? failure : made;                                            \
    }
#define FAILS_WITH_NUMBER(name, parameters, arguments, effects)                                    \
    int name parameters                                                                            \
    {                                                                                              \
        int effect = effect_of(CALL_##name);                                                       \
        return effect ? effect : REAL(int, name, parameters) arguments;                            \
    }
#define MOVES(name, parameters, size, arguments, effects)                                          \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        int effect = effect_of(CALL_##name);                                                       \
        if (effect > 0 || effect == IS_ZERO)                                                       \
            return effect > 0 ? -1 : 0;                                                            \
        size = effect == IS_SHORT && size > 1 ? size / 2 : size;                                   \
        return REAL(ssize_t, name, parameters) arguments;                                          \
    }
#define BY_HAND(name, effects)
#include "calls.def"

/* --------------------------------------------------------------------------------------------- */
/* The functions that calls.def lists as BY_HAND */

static int open_or_fail(int folder, const char *path, int flags, mode_t mode)
{
    if (effect_of(CALL_openat))
        return -1;
    if (fault.has_no_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return REAL(int, openat, (int, const char *, int, ...))(folder, path, flags, mode);
}

static mode_t mode_after(int flags, va_list arguments)
{
    bool has_mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
    return has_mode ? va_arg(arguments, mode_t) : 0;
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_after(flags, arguments);
    va_end(arguments);
    return open_or_fail(folder, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_after(flags, arguments);
    va_end(arguments);
    return open_or_fail(AT_FDCWD, path, flags, mode);
}

int memfd_create(const char *name, unsigned flags)
{
    if (effect_of(CALL_memfd_create))
        return -1;
    if (fault.has_no_nameless) {
        errno = EPERM;
        return -1;
    }
    return REAL(int, memfd_create, (const char *, unsigned))(name, flags);
}

void *mremap(void *old, size_t size, size_t larger, int flags, ...)
{
    if (effect_of(CALL_mremap))
        return MAP_FAILED;
    return REAL(void *, mremap, (void *, size_t, size_t, int, ...))(old, size, larger, flags);
}

/* warpld calls fcntl with a third argument only for two commands, and that argument is a number. */
int fcntl(int file, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    bool has_number = command == F_DUPFD_CLOEXEC || command == F_SETPIPE_SZ;
    int number = has_number ? va_arg(arguments, int) : 0;
    va_end(arguments);
    if (effect_of(CALL_fcntl))
        return -1;
    return REAL(int, fcntl, (int, int, ...))(file, command, number);
}

/* warpld uses syscall() only for pidfd_open, which takes two numbers. */
long syscall_or_fail(long number, long first, long second) __asm__("syscall");
long syscall_or_fail(long number, long first, long second)
{
    return effect_of(CALL_syscall) ? -1 : REAL(long, syscall, (long, ...))(number, first, second);
}

/* Builds with _FORTIFY_SOURCE call these functions instead of open, read and realpath. The C
 * library's versions also check sizes. */
int __open_2(const char *path, int flags)
{
    return open_or_fail(AT_FDCWD, path, flags, 0);
}

ssize_t __read_chk(int file, void *buffer, size_t size, size_t capacity)
{
    return read(file, buffer, size < capacity ? size : capacity);
}

char *__realpath_chk(const char *path, char *resolved, size_t capacity)
{
    (void)capacity;
    return realpath(path, resolved);
}

__attribute__((destructor)) static void finish(void)
{
    const char *path = getenv("FAULT_COUNTS");
    int file = path ? open(path, O_WRONLY | O_CREAT, 0666) : -1;
    for (int i = 0; i < CALLS && file >= 0; i++)
        if (calls[i].count)
            dprintf(file, "%s %llu %s\n", calls[i].name, calls[i].count, calls[i].effects);
}
