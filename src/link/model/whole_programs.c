/* Objects of nvcc -ewp; see whole_programs.h.
 *
 * All facts here were observed with objects of nvcc 13.0.88 -ewp for sm_80 and sm_90, alone, with
 * the device runtime and with ordinary objects. */
#include "link/model/whole_programs.h"

#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "link/model/input_object.h"
#include "link/model/shared.h"
#include "link/model/symbols.h"
#include "warpld.h"

bool object_is_whole_program(const struct input_object *object)
{
    return object->elf.type == ET_WHOLE_PROGRAM;
}

/* If a link has a whole program, all objects must be of the same toolkit. Only objects that were
 * read before the first whole program may be of an older release (observed). */
bool whole_programs_accept(link_context *link, const struct input_object *object)
{
    if (object_is_whole_program(object) && !link->whole_programs.is_any)
        link->whole_programs.toolkit = link->toolkit;
    link->whole_programs.is_any |= object_is_whole_program(object);
    uint16_t newest = WARPLD_NEWEST_TOOLKIT_VERSION;
    uint16_t toolkit = object->toolkit < newest ? object->toolkit : newest;
    return !link->whole_programs.is_any ||
           (elf_view_abi(&object->elf) == ABIVERSION_CUDA && toolkit == link->toolkit &&
            toolkit == link->whole_programs.toolkit);
}

bool whole_programs_join(link_context *link, const struct input_object *object)
{
    link->whole_programs.has_ordinary |= !object_is_whole_program(object);
    return !link->options.relocatable || !link->whole_programs.is_any ||
           !link->whole_programs.has_ordinary;
}

void whole_programs_check(link_context *link, const struct input_object *object)
{
    if (link->whole_programs.is_any && !object_is_whole_program(object) &&
        !object->unit->is_runtime)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_WHOLE_PROGRAM_MIXED, object->name, NULL,
                          object->name);
}

/* A kernel of a whole program cannot use shared variables of other objects, because the compiler
 * has already laid out its shared memory. It can use extern shared memory, which follows the memory
 * that the compiler laid out. */
void whole_programs_refuse(link_context *link, const struct symbol *variable,
                           const struct function *kernel)
{
    const struct input_object *object = kernel->symbol->object;
    const char *name = symbol_name(kernel->symbol);
    if (object_is_whole_program(object))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_WHOLE_PROGRAM_SHARED, object->name, name,
                          symbol_name(variable), name);
}
