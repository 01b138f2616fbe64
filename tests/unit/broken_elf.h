/* The rules of device ELFs, and for each a function that makes a file break only this rule. */
#ifndef WARPLD_TESTS_UNIT_BROKEN_ELF_H
#define WARPLD_TESTS_UNIT_BROKEN_ELF_H

#include "device_elf.h"
#include "format/elf_view.h"

struct broken_rule {
    enum elf_rule rule;
    void (*break_file)(struct device_elf *elf); /* breaks only `rule`; the argument is a result of
                                                 * device_elf_build */
};

extern const struct broken_rule BROKEN_RULES[];
extern const size_t BROKEN_RULES_COUNT;

void break_rule(struct device_elf *elf, enum elf_rule rule);

#endif
