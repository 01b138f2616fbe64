/* A message of the link or of the command, with the notes that explain it. */
#ifndef WARPLD_CLI_REPORT_MESSAGE_H
#define WARPLD_CLI_REPORT_MESSAGE_H

#include <stdint.h>

#include "base/arena.h"
#include "warpld.h"

struct message {
    enum warpld_severity severity;
    const char *code;
    const char *text;
    const char *input;    /* this and the next four may be NULL */
    const char *symbol;   /* mangled */
    const char *readable; /* the symbol's readable form */
    const char *section;
    const char *target;
    uint32_t folded; /* number of later messages about other inputs that this one represents */
    GROWING_ARRAY(struct message, notes);
};

#endif
