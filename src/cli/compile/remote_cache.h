/* The cache that --cache-url names: an HTTP server that several machines share, for example
 * bazel-remote. The program curl reads entries with GET and writes them with PUT.
 *
 * A link succeeds without the server. When the server fails for the first time, the link prints a
 * warning and sends no further requests. The time that a command may spend waiting is limited.
 * Entries are checked for damage, but not for their origin: whoever can write to the server decides
 * what code is linked. */
#ifndef WARPLD_CLI_COMPILE_REMOTE_CACHE_H
#define WARPLD_CLI_COMPILE_REMOTE_CACHE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include "cli/options/options.h"
#include "compile/cache_remote.h"

/* The remote cache of a command. If the command links for several targets, all these links share
 * the cache. */
struct remote_cache {
    struct cache_remote store; /* the functions by which caches transfer entries */
    pthread_mutex_t lock;      /* protects the fields that follow; held while curl runs */
    const char *url;           /* the server's address, without a slash at its end */
    const char *shown_url;     /* the address for messages, without user name and password */
    double seconds_left;       /* time in seconds that all further requests may take together */
    bool has_failed;
    char warning[PATH_MAX]; /* a warning that was not shown yet; empty: none */
};

/* Creates the cache that the command line or the variable WARPLD_CACHE_URL chooses, in the arena of
 * `line`. Returns NULL if neither chooses a cache. The other functions accept NULL as the cache. */
struct remote_cache *remote_cache_create(const struct command_line *line);
void remote_cache_destroy(struct remote_cache *cache);

/* Returns the field `store` of the cache; NULL if there is no cache. */
const struct cache_remote *remote_cache_store(struct remote_cache *cache);

/* Moves the cache's warning to `text`, which has the capacity of cache->warning. Returns false if
 * there is no warning. A cache has at most one warning in its lifetime. */
bool remote_cache_take_warning(struct remote_cache *cache, char *text);

#endif
