/* Handles signals; see fatal_signals.h.
 *
 * Large inputs are mapped. Linux sends SIGBUS if the program reads a page of a mapped file after
 * the file became shorter. The handler finds the name of the file in the list of mappings
 * (/proc/self/maps). It reads the list byte by byte with read(), because only some functions are
 * safe in signal handlers. */
#include "cli/fatal_signals.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/terminal_text.h"

enum { STATUS_FATAL = 1, LONGEST_LINE = 4352, HEXADECIMAL = 16, FIELDS_BEFORE_PATH = 5 };

static const char *tool_name;

/* Reads a line of the list of mappings into `text`, without the newline. Returns false at the end
 * of the list. */
static bool read_line(int descriptor, char *text)
{
    size_t size = 0;
    char next;
    while (read(descriptor, &next, 1) == 1) {
        if (next == '\n') {
            text[size] = 0;
            return true;
        }
        if (size < LONGEST_LINE - 1)
            text[size++] = next;
    }
    return false;
}

static const char *read_number(const char *text, uintptr_t *number)
{
    static const char DIGITS[] = "0123456789abcdef";
    *number = 0;
    for (const char *digit; *text && (digit = strchr(DIGITS, *text)); text++)
        *number = *number * HEXADECIMAL + (uintptr_t)(digit - DIGITS);
    return text;
}

/* `text` is a line of the list of mappings: "START-END PERMISSIONS OFFSET DEVICE INODE PATH".
 * Returns the path if the range contains the address, else NULL. */
static const char *path_of(const char *text, uintptr_t address)
{
    uintptr_t start, end;
    const char *line = read_number(text, &start);
    line = read_number(line + (*line == '-'), &end);
    if (address < start || address >= end)
        return NULL;
    for (int field = 1; field < FIELDS_BEFORE_PATH; field++) {
        line += strspn(line, " ");
        line += strcspn(line, " ");
    }
    line += strspn(line, " ");
    return *line == '/' ? line : NULL;
}

static void put(const char *text)
{
    size_t size = strlen(text);
    if (write(STDERR_FILENO, text, size) != (ssize_t)size)
        _exit(STATUS_FATAL);
}

static void end_with_message(const char *path)
{
    static char shown[LONGEST_LINE * TERMINAL_ESCAPE_SIZE + 1];
    terminal_text_escape(shown, path);
    put(tool_name);
    put(" fatal   : Input file '");
    put(shown);
    put("' was changed while it was read\n");
    _exit(STATUS_FATAL);
}

/* Handles SIGBUS. If the address is in no mapped file, the handler returns. The fault then happens
 * again, and the default action ends the program. */
static void handle(int number, siginfo_t *information, void *context)
{
    static char line[LONGEST_LINE];
    int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    (void)context;
    signal(number, SIG_DFL);
    while (maps >= 0 && read_line(maps, line)) {
        const char *path = path_of(line, (uintptr_t)information->si_addr);
        if (path)
            end_with_message(path);
    }
}

void fatal_signals_report(const char *tool)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
    tool_name = tool;
    sigaction(SIGBUS, &action, NULL);
    signal(SIGXFSZ, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
}
