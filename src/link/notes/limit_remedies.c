/* Notes after an exceeded limit; see limit_remedies.h. The passes that report limits call these
 * functions. */
#include "link/notes/limit_remedies.h"
#include "link/notes/code_origin.h"

#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/notes/shown_name.h"

/* Returns the maximum number of threads of a block, from a section of attributes; 0 if the section
 * has no record of it. */
static uint32_t block_threads_in(const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        bool is_bound = record.code == EIATTR_MAX_THREADS || record.code == EIATTR_REQNTID;
        if (is_bound && record.format == INFO_FORMAT_SIZED && record.value >= 12)
            return info_record_word(&record, 0) * info_record_word(&record, 1) *
                   info_record_word(&record, 2);
    }
    return 0;
}

/* Returns the maximum number of threads of a block if the kernel has __launch_bounds__ or a
 * required block size, otherwise 0. For __launch_bounds__, ptxas 13.0.88 writes MAX_THREADS and the
 * resulting register limit: 128 registers for 512 threads, 32 for 1024 threads and two blocks. For
 * -maxrregcount and __maxnreg__ it writes only MAXREG_COUNT. */
static uint32_t block_threads(const struct function *kernel)
{
    const struct input_object *object = kernel->symbol->object;
    for (uint32_t i = 1; i < object->elf.section_count; i++) {
        const struct elf_section *section = &object->elf.sections[i];
        if (section->type == SHT_CUDA_INFO &&
            input_section_function(object, section, NULL) == kernel->symbol) {
            uint32_t threads = block_threads_in(section);
            if (threads)
                return threads;
        }
    }
    return 0;
}

void limit_remedy_registers(link_context *link, const struct function *kernel,
                            const struct function *function)
{
    const char *name = symbol_name(kernel->symbol);
    const char *input = kernel->symbol->object->name, *shown = code_origin(link, kernel->symbol);
    const char *other = code_origin(link, function->symbol);
    unsigned limit = kernel->register_limit, threads = block_threads(kernel);
    if (limit == USUAL_REGISTER_LIMIT)
        return; /* the limit is that of the hardware, which no option raises */
    if (threads)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTERS_OF_BOUNDS, input, name, limit,
                          threads, shown, other, limit);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_REGISTERS_OF_OPTION, input, name, limit,
                          shown, other, limit);
}

void limit_remedy_shared(link_context *link, const struct function *kernel, uint64_t size,
                         uint64_t limit)
{
    const char *name = symbol_name(kernel->symbol), *input = kernel->symbol->object->name;
    unsigned long long used = size, most = limit, extended = link->target->extended_limit;
    if (size > extended)
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_SHARED_NEVER_FITS, input, name, used,
                          used - most, extended);
    else
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_SHARED_FITS_EXTENDED, input, name, used,
                          used - most, extended);
}

void limit_remedy_bank(link_context *link, const struct output_section *bank)
{
    unsigned long long size = bank->size, limit = CONSTANT_BANK_LIMIT;
    diagnostic_report(&link->diagnostics,
                      bank->owner ? DIAGNOSTIC_KERNEL_CONSTANT_REMEDY : DIAGNOSTIC_CONSTANT_REMEDY,
                      NULL, NULL, size, size - limit, limit);
}

void limit_remedy_stack(link_context *link, const struct function *kernel)
{
    const char *input = kernel->symbol->object->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_STACK_REMEDY, input,
                      symbol_name(kernel->symbol), kernel->stack_limit, input);
}
