/* Names of symbols as notes show them. */
#ifndef WARPLD_LINK_NOTES_SHOWN_NAME_H
#define WARPLD_LINK_NOTES_SHOWN_NAME_H

struct arena;

/* Returns the readable form of a symbol's name, shortened to a few hundred characters. It lacks the
 * parts that compilers add to the names of static functions and of variables in functions. */
const char *shown_name(struct arena *arena, const char *name);

/* Returns the name that a variable has in the source. nvcc renames static variables: "sv" becomes
 * "__nv_static_19__1fca9bc2_4_k_cu_ck_sv". Other names are returned unchanged. */
const char *static_variable_name(const char *name);

#endif
