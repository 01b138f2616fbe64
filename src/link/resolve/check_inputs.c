/* Checks that the inputs agree in facts other than their symbols.
 *
 * Part of pass_resolve. Each object is checked before the next one is resolved, because nvlink ends
 * the link after the first object with a conflict. The checks:
 *
 *   - Combines the records of .nv.compat, and reports records that are missing there.
 *   - Reports functions whose prototype differs from that in an earlier object.
 *   - Reports objects whose tcgen05 code uses another layout of tensor memory than earlier objects.
 *     The layout depends on the toolkit.
 *
 * conflicts.c compares symbols, and open_image.c compares file headers. */
#include "link/resolve/check_inputs.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/prototype.h"
#include "format/section_type.h"
#include "link/model/compat.h"
#include "link/model/input_object.h"
#include "link/model/linked_names.h"
#include "link/model/symbols.h"
#include "link/resolve/resolve_state.h"

static struct linked_name *prototype_of_pair_checked(link_context *link,
                                                     const struct input_object *object,
                                                     struct elf_pair pair)
{
    return link_intern(link, elf_view_string(&object->elf, VIEW_NATIVE, (uint32_t)pair.second));
}

static void set_prototype(struct function *function, struct linked_name *prototype,
                          const struct input_object *object)
{
    function->prototype = prototype;
    function->prototype_object = object->position;
}

enum { LONGEST_PROTOTYPE = 500 };

/* Returns the prototype in readable form, or in encoded form if it cannot be translated. `text` is
 * the caller's buffer, because a small file can have a million conflicts of prototypes. */
static const char *prototype_text(const struct linked_name *prototype, char text[LONGEST_PROTOTYPE])
{
    const char *code = prototype->name.text;
    return prototype_describe(code, text, LONGEST_PROTOTYPE) ? text : code;
}

/* Reports two different prototypes of a function. If an earlier reference has one of them and a
 * later definition the other, nvlink's message names the file of the definition twice. */
static void report_prototype(link_context *link, const struct symbol *symbol,
                             const struct linked_name *prototype, const struct input_object *object)
{
    const struct function *function = symbol->function;
    const char *name = symbol_name(symbol);
    const char *other = link->objects[function->prototype_object]->name;
    const char *first = link->options.as_nvlink ? link->objects[symbol->named - 1]->name : other;
    char text[LONGEST_PROTOTYPE], other_text[LONGEST_PROTOTYPE];
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_PROTOTYPE_MISMATCH, object->name, name, name,
                      object->name, first);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_PROTOTYPES_DIFFER, object->name, name,
                      prototype_text(prototype, text), object->name,
                      prototype_text(function->prototype, other_text), other);
}

/* Whether two prototypes are equal up to the character "|". The text after it says which registers
 * a function preserves. CUDA 12 and 13 write different registers for the same system function, and
 * nvlink 13.0.88 ignores the difference (observed with patched objects). No more is read than the
 * common part, because a long prototype can be compared with a million short ones. */
static bool same_prototype(const struct linked_name *a, const struct linked_name *b)
{
    const char *first = a->name.text, *second = b->name.text;
    while (first != second && *first == *second && *first && *first != '|') {
        first++;
        second++;
    }
    return first == second || ((!*first || *first == '|') && (!*second || *second == '|'));
}

/* Compares a prototype of a function with the one that is known from an earlier object. If they are
 * equal up to the character "|", or if none is known, the new one is used from now on. */
static void check_prototype(link_context *link, struct input_object *object, struct elf_pair pair)
{
    const struct symbol *symbol = object->symbols[pair.first];
    if (!symbol || !symbol->function)
        return;
    struct linked_name *prototype = prototype_of_pair_checked(link, object, pair);
    const struct linked_name *held = symbol->function->prototype;
    if (held && !same_prototype(held, prototype))
        report_prototype(link, symbol, prototype, object);
    else if (held != prototype)
        set_prototype(symbol->function, prototype, object);
}

/* Sets the prototype of a function whose address is taken. This prototype is not compared with
 * earlier ones, but later ones are compared with it. */
static void adopt_prototype(link_context *link, struct input_object *object, struct elf_pair pair)
{
    const struct symbol *symbol = object->symbols[pair.first];
    if (symbol && symbol->function && object->copies[pair.first] != COPY_DISCARDED)
        set_prototype(symbol->function, prototype_of_pair_checked(link, object, pair), object);
}

static void read_address_taken(link_context *link, struct input_object *object,
                               const struct elf_section *section)
{
    int32_t heading = 0;
    for (uint32_t i = 0; i < section->entry_count; i++) {
        struct elf_pair pair = elf_section_pair(section, i);
        if (pair.first == 0 && pair.second < 0)
            heading = pair.second;
        else if (heading == CALLGRAPH_ADDRESS_TAKEN)
            adopt_prototype(link, object, pair);
    }
}

/* Returns the toolkit whose tcgen05 fragments the record lists: fragments 4 and 5 belong to toolkit
 * 12, fragments 6 and 7 to toolkit 13. Returns 0 if the record lists none of them. */
static int fragment_version(const struct info_record *record)
{
    int version = 0;
    for (unsigned i = 0; i < record->value / 4u; i++) {
        uint32_t word = info_record_word(record, i);
        if (word >= 4 && word <= 7)
            version = word < 6 ? 12 : 13;
    }
    return version;
}

/* Checks that all tcgen05 code of the link is from one toolkit, as nvlink requires (observed).
 * `version` is the toolkit that an AT_ENTRY_FRAGMENTS record or a reserved variable of the object
 * shows, or 0. */
static void check_tensor_version(link_context *link, const struct input_object *object, int version)
{
    if (!link->resolve->fragment_version)
        link->resolve->fragment_version = version;
    else if (version && version != link->resolve->fragment_version)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_FRAGMENT_VERSIONS, object->name, NULL,
                          object->name);
}

/* The reserved variables of tcgen05, by the toolkit whose compiler defines them. */
static const struct {
    const char *name;
    int version;
} TENSOR_VARIABLES[] = {
    {"tcgen05_partition", 13},
    {"allocation_phase", 12},
    {"allocation_mask", 12},
    {"tmem_allocation_pipeline_mbarrier", 12},
    {"tmem_allocation_pipeline_mbarrier_parity", 12},
};

/* Returns the toolkit (12 or 13) whose compiler defines a reserved variable of this name, or 0 for
 * references and other variables. The binding is ignored (observed with all pairs of patched
 * objects). */
static int variable_version(const struct elf_symbol *variable)
{
    static const char PREFIX[] = "__nv_reservedSMEM_";
    size_t size = sizeof PREFIX - 1;
    if ((variable->other & STO_CUDA_SPACE) != STO_CUDA_RESERVED_SHARED || !variable->section ||
        strncmp(variable->name, PREFIX, size) != 0)
        return 0;
    for (size_t i = 0; i < sizeof TENSOR_VARIABLES / sizeof *TENSOR_VARIABLES; i++)
        if (!strcmp(variable->name + size, TENSOR_VARIABLES[i].name))
            return TENSOR_VARIABLES[i].version;
    return 0;
}

static void check_tensor_symbols(link_context *link, const struct input_object *object)
{
    for (uint32_t i = 1; i < object->elf.symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol variable = elf_view_symbol(&object->elf, VIEW_NATIVE, i);
        if (object->copies[i] != COPY_DISCARDED)
            check_tensor_version(link, object, variable_version(&variable));
    }
}

/* Checks the reserved variables of tcgen05. Only objects with the section of these variables need a
 * search through their symbols, and few have it. */
static void check_tensor_variables(link_context *link, const struct input_object *object)
{
    if (elf_view_has(&object->elf, INPUT_SHARED_RESERVED))
        check_tensor_symbols(link, object);
}

/* Checks the toolkit of each AT_ENTRY_FRAGMENTS record. If several words of a record show a
 * toolkit, the last of them is used. All records of the link must agree, even those of removed
 * functions, but not those of discarded copies (observed on sm_80 and sm_90). */
static void check_fragments(link_context *link, struct input_object *object,
                            const struct elf_section *section)
{
    uint32_t index = 0;
    if (input_section_function(object, section, &index) && object->copies[index] == COPY_DISCARDED)
        return;
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        if (record.code != EIATTR_AT_ENTRY_FRAGMENTS || record.format != INFO_FORMAT_SIZED)
            continue;
        check_tensor_version(link, object, fragment_version(&record));
    }
}

void check_inputs(link_context *link, struct input_object *object)
{
    check_tensor_variables(link, object);
    for (uint32_t i = 0; i < object->elf.early_section_count; i++) {
        const struct elf_section *section = elf_view_early_section(&object->elf, i);
        if (section->type == SHT_CUDA_CALLGRAPH)
            read_address_taken(link, object, section);
        else if (section->type == SHT_CUDA_COMPAT)
            compat_read(link, object, section);
        else if (section->type == SHT_CUDA_INFO)
            check_fragments(link, object, section);
        for (uint32_t p = 0; section->type == SHT_CUDA_PROTOTYPE && p < section->entry_count; p++)
            check_prototype(link, object, elf_section_pair(section, p));
    }
}
