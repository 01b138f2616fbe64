/* Compiles PTX with an external ptxas. */
#ifndef WARPLD_CLI_COMPILE_PTXAS_H
#define WARPLD_CLI_COMPILE_PTXAS_H

#include "base/arena.h"
#include "cli/options/options.h"
#include "warpld.h"

struct compilation;

struct ptxas {
    struct arena *arena;
    const struct command_line *line;                   /* with the options for ptxas */
    void (*complain)(void *context, const char *text); /* what went wrong before ptxas ran */
    void (*warn)(void *context, const char *text);
    void (*pass_on)(void *context, const char *text, size_t size); /* what ptxas said */
    /* A text was compiled, and that took so long; may be NULL. */
    void (*compiled)(void *context, const struct warpld_compile_request *request,
                     double milliseconds);
    void *context;
    struct compilation *compilations; /* once they are made: what there is to tell of each */
};

/* The library's callbacks; the context is a struct ptxas. */
void ptxas_compile(void *context, const struct warpld_compile_request *requests,
                   struct warpld_compile_result *results, size_t count);
void ptxas_report(void *context, size_t index);
void ptxas_release(void *context, struct warpld_compile_result *results, size_t count);

#endif
