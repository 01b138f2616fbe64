/* cubintool verify; see verify.h. */
#include "tool/verify/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/terminal_text.h"
#include "format/elf_view.h"
#include "tool/command/command.h"
#include "tool/images/images.h"
#include "tool/images/subjects.h"
#include "tool/print/print.h"

enum rule_files { ALL, EXECUTABLE, LINK, NATIVE_LINK };

static const struct {
    const char *slug;
    const char *text;
    enum rule_files files;
} RULES[] = {
#define VERIFY_RULE(name, slug, files, text) {slug, text, files},
#include "tool/verify/verify_rules.def"
#undef VERIFY_RULE
};

static bool rule_applies(const struct verify *verify, enum rule_files files)
{
    switch (files) {
    case ALL:
        return true;
    case EXECUTABLE:
        return verify_is_executable(verify);
    case LINK:
        return verify_is_link(verify);
    case NATIVE_LINK:
        return verify_is_native_link(verify);
    }
    return true;
}

/* Returns the name of a section as the violations show it. A damaged file can have millions of
 * violations in a section whose name has megabytes. So only the start is shown of names that no
 * compiler makes, and of other long names after many violations. */
static const char *shown_section(struct listing *found, const char *name)
{
    enum { START = 400, LONGEST = 16 << 10, MANY = 1000 };
    size_t most = found->rows_count > MANY ? START : LONGEST;
    bool is_too_long = strnlen(name, most + 1) > most;
    return is_too_long ? arena_format(found->arena, "%.*s...", (int)START, name) : name;
}

static void add_violation(struct listing *found, const char *rule, uint32_t section,
                          const char *section_name, uint64_t index, uint64_t value,
                          const char *text)
{
    listing_add_row(found, 1);
    put_text(found, "rule", rule);
    put_number(found, "section", section);
    if (section_name)
        put_text(found, "section_name", shown_section(found, section_name));
    else
        put_absent(found, "section_name");
    put_number(found, "entry", index);
    put_hex(found, "value", value);
    put_text(found, "text", text);
}

void verify_report(struct verify *verify, enum verify_rule rule, uint32_t section, uint64_t index,
                   uint64_t value)
{
    if (!rule_applies(verify, RULES[rule].files))
        return;
    const char *name = section ? verify->subject->view.sections[section].name : NULL;
    add_violation(verify->found, RULES[rule].slug, section, name, index, value, RULES[rule].text);
}

/* The row refers to the name of the section in the file. This is allowed, because the file remains
 * mapped until the rows have been printed. */
bool verify_add_problem(void *context, const struct elf_problem *problem)
{
    add_violation(context, elf_rule_slug(problem->rule), problem->section, problem->section_name,
                  problem->index, problem->value, elf_rule_text(problem->rule));
    return true;
}

void verify_subject(struct subject *subject, struct arena *arena, struct listing *found)
{
    elf_view_check_strictly(&subject->view, arena, verify_add_problem, found);
    bool is_of_compiler = verify_finds_compiler_only(&subject->view);
    struct verify verify = {subject, arena, found, is_of_compiler};
    verify_layout(&verify);
    verify_segments(&verify);
    verify_sections(&verify);
    verify_symbols(&verify);
    verify_callgraphs(&verify);
    verify_notes(&verify);
}

static void print_violations(const char *path, const struct listing *found)
{
    struct arena arena;
    tool_arena_init(&arena);
    for (size_t i = 0; i < found->rows_count; i++) {
        const struct fact *facts = row_facts(found, &found->rows[i]);
        enum { RULE, SECTION, NAME, ENTRY, VALUE, TEXT };
        printf("%s: %s: ", terminal_text_show(&arena, path), facts[RULE].value.text);
        if (facts[SECTION].value.number)
            printf("section %" PRIu64 " (%s): ", facts[SECTION].value.number,
                   terminal_text_show(&arena, fact_text(&arena, &facts[NAME])));
        printf("%s (entry %" PRIu64 ", value 0x%" PRIx64 ")\n", facts[TEXT].value.text,
               facts[ENTRY].value.number, facts[VALUE].value.number);
    }
    arena_destroy(&arena);
}

static void add_json(json_t *files, const char *path, const struct listing *found)
{
    json_t *file = json_object();
    json_object_set_new(file, "file", json_text(path));
    json_object_set_new(file, "violations", json_listing(found));
    json_array_append_new(files, file);
}

static int verify_image(struct subjects *subjects, const struct image *image, json_t *files)
{
    struct arena arena;
    tool_arena_init(&arena);
    struct listing found;
    listing_init(&found, &arena, LAYOUT_TABLE);
    struct subject subject;
    enum subject_state state =
        subjects_open_image(subjects, image, &subject, verify_add_problem, &found);
    if (state == SUBJECT_OPEN)
        verify_subject(&subject, &arena, &found);
    int status = found.rows_count ? TOOL_EXIT_FOUND : TOOL_EXIT_OK;
    if (state == SUBJECT_UNUSABLE)
        status = TOOL_EXIT_UNUSABLE;
    else if (files)
        add_json(files, subject.path, &found);
    else
        print_violations(subject.path, &found);
    subject_close(&subject);
    arena_destroy(&arena);
    return status;
}

int command_verify(const struct tool_options *options)
{
    int worst = TOOL_EXIT_OK;
    json_t *files = options->json ? json_array() : NULL;
    for (size_t i = 0; i < options->file_count; i++) {
        struct subjects subjects;
        subjects_open(&subjects, options->files[i], options);
        const struct image *image;
        while ((image = subjects_next(&subjects))) {
            int status = verify_image(&subjects, image, files);
            if (status > worst)
                worst = status;
        }
        if (subjects.is_unusable)
            worst = TOOL_EXIT_UNUSABLE;
        subjects_close(&subjects);
    }
    if (files)
        print_json(files);
    return worst;
}
