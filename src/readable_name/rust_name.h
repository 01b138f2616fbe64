/* Names that the Rust compiler makes. */
#ifndef WARPLD_READABLE_NAME_RUST_NAME_H
#define WARPLD_READABLE_NAME_RUST_NAME_H

struct arena;

/* Returns the readable form of a name in the v0 mangling ("_RNvC5crate3foo" is crate::foo) or in
 * the legacy one ("_ZN5crate3foo17h0123456789abcdefE"), without hashes. NULL for any other name. */
const char *rust_name(struct arena *arena, const char *name);

#endif
