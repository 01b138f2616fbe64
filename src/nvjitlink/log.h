/* A text that grows: the error log and the info log of a link. */
#ifndef WARPLD_NVJITLINK_LOG_H
#define WARPLD_NVJITLINK_LOG_H

#include <stddef.h>

struct jit_log {
    char *text;      /* ends with a NUL; NULL if empty */
    size_t size;     /* without the NUL */
    size_t capacity; /* of text */
};

/* Both functions append a text. If memory runs out, nothing is appended. */
void jit_log_add(struct jit_log *log, const char *text, size_t size);
__attribute__((format(printf, 2, 3))) void jit_log_print(struct jit_log *log, const char *format,
                                                         ...);

/* Removes what follows the first `size` bytes. */
void jit_log_cut(struct jit_log *log, size_t size);

void jit_log_free(struct jit_log *log);

#endif
