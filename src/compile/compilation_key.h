/* Makes the key of a compiled text in the cache, from all that the result depends on. */
#ifndef WARPLD_COMPILE_COMPILATION_KEY_H
#define WARPLD_COMPILE_COMPILATION_KEY_H

#include <stdbool.h>

#include "base/arena.h"
#include "compile/batch.h"
#include "compile/cache.h"
#include "compile/cache_record.h"
#include "compile/compiler_choice.h"

/* Identifies the files of the chosen compiler, as file_identity does. Returns NULL if one of them
 * cannot be found. */
const char *compiler_identity(struct arena *arena, struct ptx_cache *cache,
                              const struct compiler_choice *choice);

/* Sets the key of a compilation. Returns false if its result must not be kept, because an argument
 * names an options file, whose contents are not part of the key. */
bool compilation_key(struct cache_key *key, struct arena *arena, const char *identity,
                     const struct compilation *compilation);

#endif
