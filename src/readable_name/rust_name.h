/* Converts names that the Rust compiler makes to readable ones. */
#ifndef WARPLD_READABLE_NAME_RUST_NAME_H
#define WARPLD_READABLE_NAME_RUST_NAME_H

#include <stddef.h>

struct arena;

/* Returns the readable form, without hashes, of a name in the v0 mangling ("_RNvC5crate3foo" is
 * crate::foo) or in the legacy mangling ("_ZN5crate3foo17h0123456789abcdefE"). Returns NULL for any
 * other name, and if the form exceeds most_text bytes. Sets *text_size to the number of bytes that
 * were made. */
const char *rust_name(struct arena *arena, const char *name, size_t most_text, size_t *text_size);

#endif
