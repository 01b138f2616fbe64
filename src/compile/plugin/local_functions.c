/* Lists functions that the optimiser made local; see local_functions.h. */
#include "compile/plugin/local_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/ptx_functions.h"

/* Whether the name shows that no other module can refer to the function. Such a name is reserved
 * for compilers, or contains nvcc's identifier of a file, or the number of a copy that the
 * optimiser made. */
static bool is_static(const char *name)
{
    return strstr(name, "_INTERNAL_") || strchr(name, '$') || !strncmp(name, "__", 2);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct warpld_kept_name *)a)->name,
                  ((const struct warpld_kept_name *)b)->name);
}

static bool is_known(const struct local_functions *functions, const char *name)
{
    const struct warpld_kept_name wanted = {.name = name};
    return functions->count &&
           bsearch(&wanted, functions->names, functions->count, sizeof *functions->names, by_name);
}

/* Sorts the names, and removes duplicates: a function may be declared and later defined. */
static void sort(struct local_functions *functions)
{
    size_t kept = 0;
    if (functions->count)
        qsort(functions->names, functions->count, sizeof *functions->names, by_name);
    for (size_t i = 0; i < functions->count; i++)
        if (kept && !by_name(&functions->names[kept - 1], &functions->names[i]))
            free((char *)functions->names[i].name);
        else
            functions->names[kept++] = functions->names[i];
    functions->count = kept;
}

/* Appends the name to `found`, unless it is static or in `functions`. */
static bool take(const struct local_functions *functions, const struct ptx_function *function,
                 struct local_functions *found)
{
    char *name = strndup(function->name, function->name_size);
    if (!name)
        return false;
    if (is_static(name) || is_known(functions, name)) {
        free(name);
        return true;
    }
    struct warpld_kept_name *names =
        realloc(found->names, (found->count + 1) * sizeof *found->names);
    if (!names) {
        free(name);
        return false;
    }
    names[found->count++] = (struct warpld_kept_name){.name = name};
    found->names = names;
    return true;
}

/* Moves the names of `found` to `functions`. */
static bool append(struct local_functions *functions, struct local_functions *found)
{
    size_t count = functions->count + found->count;
    struct warpld_kept_name *names = realloc(functions->names, (count + 1) * sizeof *names);
    if (!names)
        return false;
    functions->names = names;
    for (size_t i = 0; i < found->count; i++)
        names[functions->count++] = found->names[i];
    found->count = 0;
    sort(functions);
    return true;
}

bool local_functions_add(struct local_functions *functions, const char *ptx, bool *has_new)
{
    struct local_functions found = {.names = NULL};
    struct ptx_function function;
    bool has_memory = true;
    while (has_memory && (ptx = ptx_next_function(ptx, &function)))
        if (function.linkage == PTX_LOCAL && !function.is_kernel)
            has_memory = take(functions, &function, &found);
    *has_new = found.count;
    has_memory = has_memory && append(functions, &found);
    local_functions_free(&found);
    return has_memory;
}

void local_functions_free(struct local_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++)
        free((char *)functions->names[i].name);
    free(functions->names);
    *functions = (struct local_functions){.names = NULL};
}
