/* cubintool disassemble; see disassemble.h. */
#include "tool/disassemble/disassemble.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "format/elf_view.h"
#include "format/relocation.h"
#include "tool/decode/subject.h"
#include "tool/disassemble/code_text.h"
#include "tool/disassemble/nvdisasm.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"
#include "tool/program/find_function.h"
#include "tool/program/program.h"

/* A relocation of code, with the text that is printed beside the instruction. */
struct code_note {
    uint64_t offset;
    const char *text;
};

struct code_notes {
    GROWING_ARRAY(struct code_note, all);
};

struct disassembler {
    const struct program *program;
    struct arena *arena;
    struct code_notes *notes; /* indexed by section of code */
    json_t *functions;        /* array to which functions are added; NULL for text output */
};

/* ---------------------------------------------------------------------------------------------- */
/* Notes                                                                                          */

static const char *type_name(uint32_t number, struct arena *arena)
{
    const struct relocation_type *type = relocation_type_find(number);
    return type ? type->name : arena_format(arena, "0x%" PRIx32, number);
}

/* Returns a text such as "R_CUDA_ABS32_LO_32 counter+0x4". */
static const char *relocation_text(const struct disassembler *disassembler,
                                   const struct elf_relocation *relocation)
{
    struct arena *arena = disassembler->arena;
    const char *text =
        arena_format(arena, "%s %s", type_name(relocation->type, arena),
                     symbol_label(disassembler->program->subject, VIEW_NATIVE, relocation->symbol));
    return relocation->addend
               ? arena_format(arena, "%s%s0x%" PRIx64, text, relocation->addend < 0 ? "-" : "+",
                              relocation->addend < 0 ? 0 - (uint64_t)relocation->addend
                                                     : (uint64_t)relocation->addend)
               : text;
}

static int compare_notes(const void *a, const void *b)
{
    const struct code_note *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return strcmp(x->text, y->text);
}

static void collect_notes(struct disassembler *disassembler)
{
    const struct elf_view *view = &disassembler->program->subject->view;
    disassembler->notes = ARENA_ARRAY(disassembler->arena, struct code_notes, view->section_count);
    for (uint32_t i = 1; i < view->section_count; i++) {
        const struct elf_section *section = &view->sections[i];
        if (section->view != VIEW_NATIVE || !elf_section_is_relocation(section))
            continue;
        struct code_notes *notes = &disassembler->notes[section_owner(view, section)];
        for (uint32_t k = 0; k < section->entry_count; k++) {
            struct elf_relocation relocation = elf_section_relocation(section, k);
            *ARENA_APPEND(disassembler->arena, notes, all) =
                (struct code_note){relocation.offset, relocation_text(disassembler, &relocation)};
        }
    }
    for (uint32_t i = 1; i < view->section_count; i++)
        if (disassembler->notes[i].all_count)
            qsort(disassembler->notes[i].all, disassembler->notes[i].all_count,
                  sizeof(struct code_note), compare_notes);
}

/* Returns the texts of the notes from index *next on whose offsets are below `end`; NULL: none.
 * Sets *next to the index of the first note that follows. */
static const char *take_notes(const struct disassembler *disassembler,
                              const struct code_notes *notes, uint32_t *next, uint64_t end)
{
    uint32_t first = *next, count;
    while (*next < notes->all_count && notes->all[*next].offset < end)
        ++*next;
    count = *next - first;
    const char **texts = ARENA_ARRAY(disassembler->arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        texts[i] = notes->all[first + i].text;
    return count ? arena_join_all(disassembler->arena, texts, count, ", ") : NULL;
}

/* ---------------------------------------------------------------------------------------------- */
/* Code                                                                                           */

static uint64_t end_of(const struct code_text *code, uint32_t line)
{
    for (uint32_t i = line + 1; i < code->lines_count; i++)
        if (code->lines[i].kind == CODE_INSTRUCTION)
            return code->lines[i].offset;
    return UINT64_MAX;
}

static void print_line(const struct disassembler *disassembler, const struct code_line *line,
                       const char *note)
{
    struct arena *arena = disassembler->arena;
    const char *text = terminal_text_show(arena, line->text);
    if (line->kind == CODE_SOURCE)
        printf("  // %s\n", text);
    else if (line->kind == CODE_LABEL)
        printf("  %s\n", text);
    else if (note)
        printf("  %6" PRIx64 "  %-48s // %s\n", line->offset, text,
               terminal_text_show(arena, note));
    else
        printf("  %6" PRIx64 "  %s\n", line->offset, text);
}

static json_t *json_line(const struct code_line *line, const char *note)
{
    static const char *const KEYS[] = {"instruction", "label", "source"};
    json_t *object = json_made(json_object());
    if (line->kind == CODE_INSTRUCTION)
        json_object_set_new(object, "offset", json_made(json_integer((json_int_t)line->offset)));
    json_object_set_new(object, KEYS[line->kind], json_text(line->text));
    if (note)
        json_object_set_new(object, "relocation", json_text(note));
    return object;
}

static void show_lines(const struct disassembler *disassembler, const struct code_text *code,
                       uint32_t section, json_t *lines)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < code->lines_count; i++) {
        const struct code_line *line = &code->lines[i];
        const char *note =
            line->kind == CODE_INSTRUCTION
                ? take_notes(disassembler, &disassembler->notes[section], &next, end_of(code, i))
                : NULL;
        if (lines)
            json_array_append_new(lines, json_line(line, note));
        else
            print_line(disassembler, line, note);
    }
}

static void show_function(const struct disassembler *disassembler,
                          const struct program_function *function, const struct code_text *code)
{
    if (!disassembler->functions) {
        printf("\n%s %s: %" PRIu64 " bytes, %" PRIu32 " registers\n",
               function->is_kernel ? "Kernel" : "Function",
               terminal_text_show(disassembler->arena, function->label), function->code_size,
               function->registers.value);
        show_lines(disassembler, code, function->section, NULL);
        return;
    }
    json_t *object = json_made(json_object()), *lines = json_made(json_array());
    json_object_set_new(object, "name", json_text(function->label));
    json_object_set_new(object, "lines", lines);
    show_lines(disassembler, code, function->section, lines);
    json_array_append_new(disassembler->functions, object);
}

/* Whether nvdisasm prints `printed` for a section that has the name `name`. If several sections
 * have the same name, nvdisasm appends "__1" to the name of the second one. */
static bool is_printed_name(const char *printed, const char *name)
{
    size_t size = strlen(name);
    if (strncmp(printed, name, size) != 0)
        return false;
    const char *rest = printed + size;
    return !*rest ||
           (!strncmp(rest, "__", 2) && rest[2] && !rest[2 + strspn(rest + 2, "0123456789")]);
}

/* Returns the first function, from the index `start` on, for whose code section nvdisasm prints
 * `name`; NULL: none. */
static const struct program_function *find_from(const struct program *program, const char *name,
                                                uint32_t start)
{
    for (uint32_t i = start; i < program->defined_count; i++)
        if (is_printed_name(name,
                            program->subject->view.sections[program->functions[i].section].name))
            return &program->functions[i];
    return NULL;
}

/* Shows the function `wanted`, or all functions if it is NULL. nvdisasm prints sections in the
 * order of the file, so each search starts after the function that was found last. */
static void show_code(const struct disassembler *disassembler, const struct code_texts *texts,
                      const struct program_function *wanted)
{
    const struct program *program = disassembler->program;
    uint32_t start = 0;
    for (uint32_t i = 0; i < texts->all_count; i++) {
        const struct program_function *function = find_from(program, texts->all[i].section, start);
        if (!function)
            continue;
        start = program_index(program, function) + 1;
        if (!wanted || wanted == function)
            show_function(disassembler, function, &texts->all[i]);
    }
}

/* ---------------------------------------------------------------------------------------------- */
/* The command                                                                                    */

static bool disassemble_subject(struct subject *subject, const struct tool_options *options,
                                struct arena *arena)
{
    struct program program;
    struct code_texts texts;
    struct disassembler disassembler = {.program = &program, .arena = arena};
    const struct program_function *wanted = NULL;
    if (!subject_label(subject, tool_shows_readable_names(options), LABELS_OF_TABLES))
        return false;
    program_read(&program, subject, arena);
    bool has_name = options->file_count > 1;
    if (has_name && !(wanted = program_find_function(&program, options->files[1], arena)))
        return false;
    const char *nvdisasm = nvdisasm_find(options->nvdisasm, arena);
    const char *text = nvdisasm ? nvdisasm_run(nvdisasm, subject->view.file, arena) : NULL;
    if (!text)
        return false;
    code_texts_read(&texts, text, arena);
    collect_notes(&disassembler);
    disassembler.functions = options->json ? json_made(json_array()) : NULL;
    if (!options->json)
        printf("File %s, for sm_%u\n", terminal_text_show(arena, subject->path),
               elf_view_sm(&subject->view));
    show_code(&disassembler, &texts, wanted);
    if (options->json)
        print_json(disassembler.functions);
    return true;
}

int command_disassemble(const struct tool_options *options)
{
    return subjects_use_single(options, disassemble_subject);
}
