/* Reads the lines that nvdisasm prints for each function. */
#ifndef WARPLD_TOOL_DISASSEMBLE_CODE_TEXT_H
#define WARPLD_TOOL_DISASSEMBLE_CODE_TEXT_H

#include <stdint.h>

#include "base/arena.h"

enum code_line_kind { CODE_INSTRUCTION, CODE_LABEL, CODE_SOURCE };

struct code_line {
    enum code_line_kind kind;
    uint64_t offset; /* offset of an instruction in its section; 0 for other lines */
    const char *text;
};

/* The code of one section. */
struct code_text {
    const char *section; /* ".text.f" */
    GROWING_ARRAY(struct code_line, lines);
};

struct code_texts {
    GROWING_ARRAY(struct code_text, all);
};

/* Reads the output of nvdisasm -c -g. The text is not trusted: unexpected lines are ignored. */
void code_texts_read(struct code_texts *texts, const char *text, struct arena *arena);

#endif
