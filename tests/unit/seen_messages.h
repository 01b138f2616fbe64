/* Links through the library whose messages a test remembers. The tests run from the repository's
 * root. */
#ifndef WARPLD_TESTS_UNIT_SEEN_MESSAGES_H
#define WARPLD_TESTS_UNIT_SEEN_MESSAGES_H

#include <stddef.h>

#include "warpld.h"

/* An object that is linked for sm_80 without a message. */
extern const char GOOD_INPUT[];

enum { MOST_SEEN = 16 };

/* The first messages of a link. */
struct seen {
    size_t count;
    enum warpld_severity severities[MOST_SEEN];
    char codes[MOST_SEEN][32];
};

/* A message callback. Its context is a struct seen. */
void seen_take(void *context, const struct warpld_diagnostic *diagnostic);

/* Options for sm_80, with seen_take as the message callback. */
struct warpld_options seen_options(struct seen *seen);

/* Returns a new link with seen_take as the message callback. The caller destroys it. `architecture`
 * may be NULL. */
struct warpld_link *seen_create_link(const char *architecture, struct seen *seen);

/* Fails the test unless the only message is a fatal one with this code. */
void seen_assert_fatal(const struct seen *seen, const char *code);

#endif
