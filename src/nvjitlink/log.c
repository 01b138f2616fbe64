/* A text that grows; see log.h. */
#include "nvjitlink/log.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes space for `size` more bytes and a NUL. Returns false if memory has run out. */
static bool reserve(struct jit_log *log, size_t size)
{
    size_t needed = log->size + size + 1;
    if (needed <= log->capacity)
        return true;
    size_t capacity = needed < 256 ? 256 : 2 * needed;
    char *text = realloc(log->text, capacity);
    if (!text)
        return false;
    log->text = text;
    log->capacity = capacity;
    return true;
}

void jit_log_add(struct jit_log *log, const char *text, size_t size)
{
    if (!size || !reserve(log, size))
        return;
    memcpy(log->text + log->size, text, size);
    log->size += size;
    log->text[log->size] = '\0';
}

void jit_log_print(struct jit_log *log, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    if (size > 0 && reserve(log, (size_t)size)) {
        vsnprintf(log->text + log->size, (size_t)size + 1, format, again);
        log->size += (size_t)size;
    }
    va_end(again);
    va_end(arguments);
}

void jit_log_cut(struct jit_log *log, size_t size)
{
    log->size = size;
    if (log->text)
        log->text[size] = '\0';
}

void jit_log_free(struct jit_log *log)
{
    free(log->text);
    *log = (struct jit_log){.text = NULL};
}
