/* Writes the module that keeps names visible; see keep_module.h.
 *
 * The declarations do not have the real types of the names. In the PTX of nvJitLink 12.0 to 13.5, a
 * function has the prototype of its definition anyway. A variable that LTO-IR defines has the size
 * of its definition. Any other variable is defined in an object: its declaration must have the size
 * of this definition, so that both match in the link.
 *
 * The form is that of the NVVM IR specification 2.0, with typed pointers, which libnvvm 12.0 to
 * 13.5 accept. */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "compile/plugin/keep_module.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char HEAD[] =
    "target datalayout = \"e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-"
    "f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64\"\n"
    "target triple = \"nvptx64-nvidia-cuda\"\n";

/* A name in quotes may have any bytes. Quotes, backslashes and control characters in it are written
 * as hexadecimal numbers. */
static void write_name(FILE *text, const char *name)
{
    fputs("@\"", text);
    for (; *name; name++)
        if (*name == '"' || *name == '\\' || (unsigned char)*name < ' ')
            fprintf(text, "\\%02X", (unsigned)(unsigned char)*name);
        else
            putc(*name, text);
    putc('"', text);
}

static void declare(FILE *text, const struct warpld_kept_name *name)
{
    if (!name->address_space)
        fputs("declare void ", text);
    write_name(text, name->name);
    if (name->address_space)
        fprintf(text, " = external addrspace(%u) global [%zu x i8]\n", name->address_space,
                name->variable_size);
    else
        fputs("()\n", text);
}

static void list(FILE *text, const struct warpld_kept_name *name)
{
    if (name->address_space)
        fprintf(text, "i8* addrspacecast (i8 addrspace(%u)* bitcast ([%zu x i8] addrspace(%u)* ",
                name->address_space, name->variable_size, name->address_space);
    else
        fputs("i8* bitcast (void ()* ", text);
    write_name(text, name->name);
    if (name->address_space)
        fprintf(text, " to i8 addrspace(%u)*)", name->address_space);
    fputs(" to i8*)", text);
}

char *keep_module_write(const struct warpld_kept_name *names, size_t count)
{
    char *module = NULL;
    size_t size;
    FILE *text = open_memstream(&module, &size);
    if (!text)
        return NULL;
    fputs(HEAD, text);
    for (size_t i = 0; i < count; i++)
        declare(text, &names[i]);
    fprintf(text, "@llvm.used = appending global [%zu x i8*] [", count);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", text);
        list(text, &names[i]);
    }
    fputs("], section \"llvm.metadata\"\n!nvvmir.version = !{!0}\n!0 = !{i32 2, i32 0, i32 3, i32 "
          "1}\n",
          text);
    bool failed = ferror(text);
    if (!fclose(text) && !failed)
        return module;
    free(module);
    return NULL;
}
