/* Builds with WARPLD_CHECK_FROZEN detect a pass that changes data that an earlier pass froze.
 *
 * For each kind of data that a pass freezes, the test runs the passes up to this one in a separate
 * process. Another pass follows, which changes the data. Run from the repository's root. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "link/frozen.h"
#include "link/input/read_inputs.h"
#include "link/link.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/symbols.h"
#include "link/relocate/relocate_state.h"
#include "warpld.h"

#ifdef WARPLD_CHECK_FROZEN
static const bool IS_CHECKED = true;
#else
static const bool IS_CHECKED = false;
#endif

enum { MOST_PASSES = 64 };

/* --------------------------------------------------------------------------------------------- */
/* Passes that change something                                                                  */

static void change_nothing(link_context *link)
{
    (void)link;
}

static void change_inputs(link_context *link)
{
    link->units[0]->skipped = !link->units[0]->skipped;
}

static void change_definition(link_context *link)
{
    link->objects[0]->copies[1] ^= COPY_USED;
}

static void change_alias(link_context *link)
{
    link->functions[0]->alias_of = link->functions[1];
}

static void change_call_graph(link_context *link)
{
    link->callgraph.callees.start[link->callgraph.node_count - 1]++;
}

static void change_kept(link_context *link)
{
    link->functions[0]->kept = !link->functions[0]->kept;
}

static void change_section(link_context *link)
{
    const struct input_object *object = link->objects[0];
    for (uint32_t i = 1; i < object->elf.section_count; i++)
        if (object->elf.sections[i].kind == INPUT_TEXT)
            object->contributions[i].section = NULL;
}

static void change_slot(link_context *link)
{
    link->first_texture_slot++;
}

static bool is_in_memory(const struct symbol *symbol)
{
    return symbol && symbol->section && symbol->defined;
}

/* Increases the value of each symbol in the section, or of each function symbol if `section` is
 * NULL. */
static void move(const link_context *link, const struct output_section *section)
{
    for (size_t o = 0; o < link->objects_count; o++)
        for (uint32_t i = 1; i < link->objects[o]->elf.symbols[VIEW_NATIVE].count; i++) {
            struct symbol *symbol = link->objects[o]->symbols[i];
            if (is_in_memory(symbol) &&
                (section ? symbol->section == section : symbol->function && !symbol->shared))
                symbol->value++;
        }
}

static void change_global(link_context *link)
{
    move(link, NULL);
}

static void change_shared(link_context *link)
{
    for (uint32_t i = 1; i < link->objects[0]->elf.symbols[VIEW_NATIVE].count; i++)
        if (link->objects[0]->symbols[i] && link->objects[0]->symbols[i]->shared)
            link->objects[0]->symbols[i]->value++;
}

static void change_constants(link_context *link)
{
    for (size_t i = 0; i < link->output.banks_count; i++)
        move(link, link->output.banks[i]);
}

static void change_unified(link_context *link)
{
    move(link, link->unified[UNIFIED_DATA].contents);
}

static void grow(const link_context *link, enum section_content content)
{
    for (size_t i = 0; i < link->output.sections_count; i++)
        if (link->output.sections[i]->content == content)
            link->output.sections[i]->size++;
}

static void change_memory_size(link_context *link)
{
    grow(link, CONTENT_CHUNKS);
}

static void change_description(link_context *link)
{
    grow(link, CONTENT_BYTES);
}

static void change_relocation(link_context *link)
{
    link->relocate->actions[0]++;
}

static void change_index(link_context *link)
{
    link->output.ordered[1]->index++;
}

static void change_offset(link_context *link)
{
    link->output.ordered[1]->offset++;
}

static void (*const CHANGES[FROZEN_COUNT])(link_context *link) = {
    [FROZEN_INPUTS] = change_inputs,
    [FROZEN_DEFINITIONS] = change_definition,
    [FROZEN_ALIASES] = change_alias,
    [FROZEN_CALL_GRAPH] = change_call_graph,
    [FROZEN_KEPT] = change_kept,
    [FROZEN_SECTIONS] = change_section,
    [FROZEN_GLOBAL] = change_global,
    [FROZEN_SHARED] = change_shared,
    [FROZEN_SLOTS] = change_slot,
    [FROZEN_CONSTANTS] = change_constants,
    [FROZEN_UNIFIED] = change_unified,
    [FROZEN_MEMORY_SIZES] = change_memory_size,
    [FROZEN_DESCRIPTION] = change_description,
    [FROZEN_RELOCATIONS] = change_relocation,
    [FROZEN_INDICES] = change_index,
    [FROZEN_OFFSETS] = change_offset,
};

static const char *const TEXTS[] = {
#define FROZEN(name, text, adder) text,
#include "link/frozen.def"
#undef FROZEN
};

/* --------------------------------------------------------------------------------------------- */
/* Links with them                                                                               */

/* The links to try. Together they have all the data that passes freeze. */
struct kind {
    const char *folder, *architecture, *index;
};

static const struct kind UNIFIED = {"unified-tables-verbose", "sm_90", "unified.index"};
static const struct kind ORDINARY = {"callgraph-of-all-kinds", "sm_80", NULL};
static const struct kind SHARED = {"shared-all-rules-together", "sm_80", NULL};

static const struct kind *kind_for(enum frozen thing)
{
    return thing == FROZEN_UNIFIED ? &UNIFIED : thing == FROZEN_SHARED ? &SHARED : &ORDINARY;
}

/* Copies the link's passes, up to the one that freezes `thing`, to `list`, and appends a pass that
 * calls `change`. Returns the number of passes in the list. */
static size_t list_with(void (*change)(link_context *), enum frozen thing, struct pass *list)
{
    size_t count, at = 0;
    const struct pass *passes = link_passes(&count);
    while (at < count && !(passes[at].freezes >> thing & 1))
        at++;
    assert_true(at + 1 < count && count < MOST_PASSES);
    memcpy(list, passes, (at + 1) * sizeof *list);
    list[at + 1] = (struct pass){change, FOR_EVERY_LINK, 0, 0, 0, CONTINUE, "pass_that_changes"};
    return at + 2;
}

static void run_list(const struct kind *kind, const struct pass *list, size_t count)
{
    struct warpld_options options = WARPLD_OPTIONS_INIT;
    struct mapped_file index = {.bytes = {NULL, 0}};
    struct warpld_link *link;
    char path[256];
    options.architecture = kind->architecture;
    if (kind->index) {
        snprintf(path, sizeof path, "tests/golden/%s/%s", kind->folder, kind->index);
        if (file_map(&index, path))
            _exit(2);
        options.unified_index = index.bytes.data;
        options.unified_index_size = (size_t)index.bytes.size;
    }
    if (warpld_create(&options, &link) != WARPLD_OK)
        _exit(2);
    for (int letter = 'a'; letter <= 'z'; letter++) {
        snprintf(path, sizeof path, "tests/golden/%s/%c.cubin", kind->folder, letter);
        if (!access(path, R_OK))
            warpld_add_file(link, path);
    }
    read_inputs(link);
    link_run_with(link, list, count);
    _exit(link->objects_count ? 0 : 2);
}

/* Runs the passes in a child process. Returns the exit status of the child; `text` gets its
 * standard error. */
static int status_of(const struct kind *kind, const struct pass *list, size_t count, char *text,
                     size_t size)
{
    FILE *errors = tmpfile();
    int status = 0;
    assert_non_null(errors);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGABRT, SIG_DFL);
        dup2(fileno(errors), STDERR_FILENO);
        run_list(kind, list, count);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    rewind(errors);
    text[fread(text, 1, size - 1, errors)] = '\0';
    fclose(errors);
    return status;
}

static void changes_are_found(void **state)
{
    (void)state;
    if (!IS_CHECKED)
        skip();
    for (enum frozen thing = 0; thing < FROZEN_COUNT; thing++) {
        struct pass list[MOST_PASSES];
        char text[1000], wanted[128];
        size_t count = list_with(CHANGES[thing], thing, list);
        int status = status_of(kind_for(thing), list, count, text, sizeof text);
        snprintf(wanted, sizeof wanted, "pass_that_changes changed what is frozen: %s\n",
                 TEXTS[thing]);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT || !strstr(text, wanted))
            fail_msg("status %d: %s\n%s", status, wanted, text);
    }
}

static void other_passes_may_run(void **state)
{
    (void)state;
    for (enum frozen thing = 0; thing < FROZEN_COUNT; thing++) {
        struct pass list[MOST_PASSES];
        char text[1000];
        size_t count = list_with(change_nothing, thing, list);
        assert_int_equal(status_of(kind_for(thing), list, count, text, sizeof text), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_found),
        cmocka_unit_test(other_passes_may_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
