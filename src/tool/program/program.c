/* Collects functions and the resources that they need; see program.h. */
#include "tool/program/program.h"

#include <string.h>

#include "base/bytes.h"
#include "format/elf.h"
#include "format/info_record.h"
#include "format/mercury_header.h"

static bool is_native_code(const struct elf_section *section)
{
    return section->type == SHT_PROGBITS && section->view == VIEW_NATIVE &&
           elf_section_is_code(section);
}

static struct program_function *add_function(struct program *program, uint32_t symbol)
{
    struct program_function *function = &program->functions[program->count++];
    function->symbol = symbol;
    function->label = symbol_label(program->subject, VIEW_NATIVE, symbol);
    program->by_symbol[symbol] = function;
    return function;
}

/* Returns the number of barriers in the flags of a code section. Older files have it there, newer
 * files in an attribute record. */
static struct amount barriers_of_flags(const struct elf_section *section)
{
    uint32_t count = (section->flags & SHF_BARRIERS) >> SHF_BARRIERS_SHIFT;
    return (struct amount){count, count != 0};
}

static void add_defined_functions(struct program *program)
{
    const struct elf_view *view = &program->subject->view;
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (!is_native_code(section))
            continue;
        uint32_t index = section->info & ELF_CODE_SYMBOL_MASK;
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, index);
        struct program_function *function = add_function(program, index);
        function->section = i;
        function->is_kernel = symbol.other & STO_CUDA_ENTRY;
        function->code_size = section->size;
        function->barriers = barriers_of_flags(section);
        program->code += section->size;
        program->by_section[i] = function;
    }
    program->defined_count = program->count;
}

static void add_undefined_functions(struct program *program)
{
    const struct elf_view *view = &program->subject->view;
    for (uint32_t i = 1; i < view->symbols[VIEW_NATIVE].count; i++) {
        struct elf_symbol symbol = elf_view_symbol(view, VIEW_NATIVE, i);
        if (symbol.type == STT_FUNC && symbol.section == SHN_UNDEF && !program->by_symbol[i])
            add_function(program, i);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Attributes                                                                                     */

static struct amount known(uint32_t value)
{
    return (struct amount){value, true};
}

/* Reads a record that names the function that it describes. */
static void read_symbol_record(struct program *program, const struct info_record *record)
{
    struct program_function *function = program->by_symbol[info_record_word(record, 0)];
    if (!function)
        return;
    struct amount amount = known(info_record_word(record, 1));
    if (record->code == EIATTR_REGCOUNT)
        function->registers = amount;
    else if (record->code == EIATTR_MIN_STACK_SIZE)
        function->minimum_stack = amount;
    else
        function->frame = amount;
}

static void read_parameter(struct program *program, struct program_function *function,
                           const struct info_record *record)
{
    enum { SIZE = 12 };
    if (info_record_payload(record).size < SIZE)
        return;
    uint32_t position = info_record_word(record, 1), shape = info_record_word(record, 2);
    *ARENA_APPEND(program->arena, function, parameters) = (struct program_parameter){
        .ordinal = position & 0xffff,
        .offset = position >> 16,
        .size = record->code == EIATTR_KPARAM_INFO_V2 ? shape : shape >> 18,
    };
}

/* Returns the number of threads of a block: the product of the record's three words. */
static struct amount thread_count(const struct info_record *record)
{
    enum { DIMENSIONS = 3 };
    if (info_record_payload(record).size != UINT64_C(4) * DIMENSIONS)
        return (struct amount){0, false};
    uint64_t count = 1;
    for (size_t i = 0; i < DIMENSIONS; i++) {
        count *= info_record_word(record, i);
        if (count > UINT16_MAX)
            return (struct amount){0, false};
    }
    return known((uint32_t)count);
}

static void read_parameter_bank(struct program_function *function, const struct info_record *record)
{
    if (info_record_payload(record).size == 8)
        function->parameter_offset = known(info_record_word(record, 1) & 0xffff);
}

/* Reads a record about the function that owns the attribute section. */
static void read_own_record(struct program *program, struct program_function *function,
                            const struct info_record *record)
{
    switch (record->code) {
    case EIATTR_NUM_BARRIERS:
        function->barriers = known(record->value & 0xff);
        break;
    case EIATTR_MAXREG_COUNT:
        function->maximum_registers = known(record->value);
        break;
    case EIATTR_CBANK_PARAM_SIZE:
        function->parameter_bytes = known(record->value);
        break;
    case EIATTR_PARAM_CBANK:
        read_parameter_bank(function, record);
        break;
    case EIATTR_KPARAM_INFO:
    case EIATTR_KPARAM_INFO_V2:
        read_parameter(program, function, record);
        break;
    case EIATTR_REQNTID:
        function->required_threads = thread_count(record);
        break;
    case EIATTR_MAX_THREADS:
        function->maximum_threads = thread_count(record);
        break;
    default:
        break;
    }
}

struct program_function *program_owner(const struct program *program,
                                       const struct elf_section *section)
{
    return program->by_section[section_owner(&program->subject->view, section)];
}

static void read_attributes(struct program *program, const struct elf_section *section)
{
    struct program_function *function = program_owner(program, section);
    struct bytes rest = section_bytes(section);
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        bool by_symbol = record.code == EIATTR_REGCOUNT || record.code == EIATTR_MIN_STACK_SIZE ||
                         record.code == EIATTR_FRAME_SIZE;
        if (by_symbol)
            read_symbol_record(program, &record);
        else if (function)
            read_own_record(program, function, &record);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* Memory                                                                                         */

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static void read_constants(struct program *program, struct program_function *function,
                           const struct elf_section *section, int bank)
{
    program->constants[bank] += section->size;
    if (function) {
        function->constants[bank] += section->size;
        program->banks_used[bank] = true;
    }
}

/* Adds the size of a section in memory to the sums. Constant banks are recognised by name, because
 * in executables they have the type PROGBITS, like code. */
static void read_memory(struct program *program, const struct elf_section *section)
{
    struct program_function *function = program_owner(program, section);
    int bank = section_name_constant_bank(section->name);
    if (bank >= 0) {
        read_constants(program, function, section, bank);
    } else if (section->type == SHT_CUDA_SHARED || starts_with(section->name, ".nv.shared.")) {
        if (function)
            function->shared += section->size;
    } else if (section->type == SHT_CUDA_LOCAL || starts_with(section->name, ".nv.local.")) {
        if (function)
            function->local += section->size;
    } else if (!strcmp(section->name, ".nv.global")) {
        program->global += section->size;
    } else if (!strcmp(section->name, ".nv.global.init")) {
        program->global_initialised += section->size;
    }
}

/* Returns an upper bound of the number of prototypes. */
static size_t count_pairs(const struct elf_view *view)
{
    size_t count = 0;
    for (uint32_t i = 1; i < view->section_count; i++)
        if (view->sections[i].type == SHT_CUDA_CALLGRAPH)
            count += view->sections[i].entry_count;
    return count;
}

void program_read(struct program *program, const struct subject *subject, struct arena *arena)
{
    const struct elf_view *view = &subject->view;
    uint32_t symbols = view->symbols[VIEW_NATIVE].count;
    *program = (struct program){.subject = subject, .arena = arena};
    size_t most = (size_t)view->section_count + symbols + count_pairs(view);
    program->functions = ARENA_ARRAY(arena, struct program_function, most);
    program->by_section = ARENA_ARRAY(arena, struct program_function *, view->section_count);
    program->by_symbol = ARENA_ARRAY(arena, struct program_function *, symbols);
    add_defined_functions(program);
    add_undefined_functions(program);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->type == SHT_CUDA_INFO)
            read_attributes(program, section);
        else if (section->view == VIEW_NATIVE && section->flags & SHF_ALLOC)
            read_memory(program, section);
    }
    program_read_calls(program);
}
