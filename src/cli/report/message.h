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
    /* the input that the message is about; NULL: none, as in the next four fields */
    const char *input;
    const char *symbol;   /* mangled name of the symbol that the message is about */
    const char *readable; /* readable name of this symbol */
    const char *section;
    const char *target;
    /* how many later messages, about other inputs, are not printed but counted here */
    uint32_t folded;
    GROWING_ARRAY(struct message, notes);
};

#endif
