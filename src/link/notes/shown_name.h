/* Names of symbols as notes show them. */
#ifndef WARPLD_LINK_NOTES_SHOWN_NAME_H
#define WARPLD_LINK_NOTES_SHOWN_NAME_H

struct arena;

/* The readable form of a symbol's name, without what compilers add to names of static functions and
 * of variables in functions, and shortened to a few hundred characters. */
const char *shown_name(struct arena *arena, const char *name);

/* The source's name of a variable that nvcc renames because it is static, "sv" for
 * "__nv_static_19__1fca9bc2_4_k_cu_ck_sv"; or the name itself. */
const char *static_variable_name(const char *name);

#endif
