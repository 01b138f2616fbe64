/* Functions that break a rule about tables of symbols, or about the symbols in them. */
#ifndef WARPLD_TESTS_UNIT_BROKEN_SYMBOLS_H
#define WARPLD_TESTS_UNIT_BROKEN_SYMBOLS_H

#include "device_elf.h"

void break_symtab_missing(struct device_elf *elf);
void break_symtab_duplicate(struct device_elf *elf);
void break_extended_duplicate(struct device_elf *elf);
void break_extended_size(struct device_elf *elf);
void break_first_global(struct device_elf *elf);
void break_null_symbol(struct device_elf *elf);
void break_symbol_name(struct device_elf *elf);
void break_names_total(struct device_elf *elf);
void break_symbol_binding(struct device_elf *elf);
void break_symbol_local(struct device_elf *elf);
void break_symbol_section(struct device_elf *elf);
void break_symbol_extended(struct device_elf *elf);
void break_symbol_view(struct device_elf *elf);
void break_symbol_undefined(struct device_elf *elf);
void break_symbol_type(struct device_elf *elf);
void break_function_visibility(struct device_elf *elf);
void break_function_value(struct device_elf *elf);
void break_function_alias(struct device_elf *elf);
void break_symbol_function(struct device_elf *elf);
void break_symbol_size(struct device_elf *elf);
void break_symbol_alignment(struct device_elf *elf);
void break_symbol_space(struct device_elf *elf);
void break_symbol_outside(struct device_elf *elf);

#endif
