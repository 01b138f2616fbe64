/* Runs the rules of cubintool verify on an output; see verify_output.h. */
#include "verify_output.h"

#include "base/arena.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"
#include "tool/verify/verify.h"

size_t verify_output(struct bytes output, violation_handler *handler, void *context)
{
    enum { RULE, SECTION, NAME, ENTRY, VALUE, TEXT };
    struct arena arena;
    struct listing found;
    struct subject subject;
    tool_arena_init(&arena);
    listing_init(&found, &arena, LAYOUT_TABLE);
    if (subject_open(&subject, "output", output, verify_add_problem, &found) == SUBJECT_OPEN)
        verify_subject(&subject, &arena, &found);
    size_t count = found.rows_count;
    for (size_t i = 0; i < count; i++) {
        const struct fact *facts = row_facts(&found, &found.rows[i]);
        const char *name = facts[NAME].kind == FACT_ABSENT ? "-" : facts[NAME].value.text;
        handler(context, facts[RULE].value.text, name, facts[TEXT].value.text);
    }
    subject_close(&subject);
    arena_destroy(&arena);
    return count;
}
