/* Functions that break a rule about sections of functions, relocations, attributes or the call
 * graph. */
#ifndef WARPLD_TESTS_UNIT_BROKEN_FUNCTIONS_H
#define WARPLD_TESTS_UNIT_BROKEN_FUNCTIONS_H

#include <stdint.h>

#include "device_elf.h"

/* Adds a record to .nv.info that consists of the symbol's index and a word with the value 0. */
void add_function_record(struct device_elf *elf, unsigned code, uint32_t symbol);

void break_section_flags(struct device_elf *elf);
void break_owner_name(struct device_elf *elf);
void break_code_name(struct device_elf *elf);
void break_code_size(struct device_elf *elf);
void break_relocation_type(struct device_elf *elf);
void break_relocation_view(struct device_elf *elf);
void break_relocation_table(struct device_elf *elf);
void break_relocation_no_symbol(struct device_elf *elf);
void break_relocation_field(struct device_elf *elf);
void break_attribute_unknown(struct device_elf *elf);
void break_attribute_repeated(struct device_elf *elf);
void break_attribute_not_function(struct device_elf *elf);
void break_attribute_owner(struct device_elf *elf);
void break_attribute_of_linker(struct device_elf *elf);
void break_no_register_count(struct device_elf *elf);
void break_no_frame_size(struct device_elf *elf);
void break_no_stack_size(struct device_elf *elf);
void break_no_parameter_bank(struct device_elf *elf);
void break_parameter_bank_size(struct device_elf *elf);
void break_parameter_size(struct device_elf *elf);
void break_callgraph_headings(struct device_elf *elf);

#endif
