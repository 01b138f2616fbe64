/* Reads the output of nvdisasm; see code_text.h. These lines are read:
 *
 *     \t.section\t.text.f,"ax",@progbits            the code of a function follows
 *     \t//## File "f.cu", line 10                   with line information
 *     .L_x_5:
 *             [0010]                   MOV R7, UR5 ;      [ ] stand for the ends of a C comment
 *
 * All other lines are directives, which are ignored (nvdisasm 13.5.37). */
#include "tool/disassemble/code_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static const char SECTION[] = ".section\t", SOURCE[] = "//## ", LABEL[] = ".L_";

static bool starts_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static void start_section(struct code_texts *texts, const char *line, size_t size,
                          struct arena *arena)
{
    const char *name = line + strlen(SECTION);
    size_t length = strcspn(name, ",\n");
    size_t most = size - strlen(SECTION);
    *ARENA_APPEND(arena, texts, all) = (struct code_text){
        .section = arena_copy_string(arena, name, length < most ? length : most)};
}

static void add_line(struct code_texts *texts, struct code_line line, struct arena *arena)
{
    if (texts->all_count)
        *ARENA_APPEND(arena, &texts->all[texts->all_count - 1], lines) = line;
}

/* Adds the instruction of a line, which begins with a comment: the offset of the instruction. */
static void add_instruction(struct code_texts *texts, const char *line, size_t size,
                            struct arena *arena)
{
    char *end;
    uint64_t offset = strtoull(line + 2, &end, 16);
    if (end == line + 2 || strncmp(end, "*/", 2) != 0 || end + 2 > line + size)
        return;
    const char *text = end + 2 + strspn(end + 2, " \t");
    if (text > line + size)
        return;
    add_line(texts,
             (struct code_line){CODE_INSTRUCTION, offset,
                                arena_copy_string(arena, text, (size_t)(line + size - text))},
             arena);
}

static void read_line(struct code_texts *texts, const char *line, size_t size, struct arena *arena)
{
    if (starts_with(line, SECTION))
        start_section(texts, line, size, arena);
    else if (starts_with(line, "/*"))
        add_instruction(texts, line, size, arena);
    else if (starts_with(line, SOURCE))
        add_line(texts,
                 (struct code_line){
                     CODE_SOURCE, 0,
                     arena_copy_string(arena, line + strlen(SOURCE), size - strlen(SOURCE))},
                 arena);
    else if (starts_with(line, LABEL) && line[size - 1] == ':')
        add_line(texts, (struct code_line){CODE_LABEL, 0, arena_copy_string(arena, line, size)},
                 arena);
}

void code_texts_read(struct code_texts *texts, const char *text, struct arena *arena)
{
    *texts = (struct code_texts){.all = NULL};
    while (*text) {
        const char *line = text + strspn(text, " \t");
        size_t size = strcspn(line, "\n");
        text = line + size + (line[size] == '\n');
        while (size && strchr(" \t\r", line[size - 1]))
            size--;
        if (size)
            read_line(texts, line, size, arena);
    }
}
