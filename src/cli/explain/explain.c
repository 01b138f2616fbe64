/* Explains messages by their codes; see explain.h. */
#include "cli/explain/explain.h"

#include <string.h>

#include "base/diagnostic.h"

/* The rows contain the texts themselves. Pointers to texts would have to be relocated at each start
 * of the program, which costs 1.5 % of the instructions of a small link. */
static const struct explanation {
    char code[32];
    char cause[216];
    char remedy[216];
} EXPLANATIONS[] = {
#define EXPLANATION(code, cause, remedy) {code, cause, remedy},
#include "cli/explain/explanations.def"
#undef EXPLANATION
};

static const char *const SEVERITIES[] = {
    [SEVERITY_NOTE] = "note",   [SEVERITY_INFO] = "info",         [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error", [SEVERITY_FATAL] = "fatal error",
};

/* Finds the library's message with this code. Always succeeds for codes of EXPLANATIONS: tests/tidy
 * checks that the library has each of them. */
static const struct diagnostic_facts *facts_of(const char *code)
{
    for (int name = 0; name < DIAGNOSTIC_COUNT; name++) {
        const struct diagnostic_facts *facts = diagnostic_facts((enum diagnostic_name)name);
        if (!strcmp(facts->code, code))
            return facts;
    }
    return NULL;
}

/* Messages of the command itself. */
static const struct command_message {
    char code[24];
    char text[96];
    char cause[216];
    char remedy[216];
    enum severity severity;
} COMMAND_MESSAGES[] = {
#define COMMAND_MESSAGE(code, severity, text, cause, remedy)                                       \
    {code, text, cause, remedy, SEVERITY_##severity},
#include "cli/explain/command_messages.def"
#undef COMMAND_MESSAGE
};

enum {
    LINK_MESSAGE_COUNT = sizeof EXPLANATIONS / sizeof *EXPLANATIONS,
    MESSAGE_COUNT = LINK_MESSAGE_COUNT + sizeof COMMAND_MESSAGES / sizeof *COMMAND_MESSAGES,
};

static struct explained message_at(size_t index)
{
    if (index >= LINK_MESSAGE_COUNT) {
        const struct command_message *own = &COMMAND_MESSAGES[index - LINK_MESSAGE_COUNT];
        return (struct explained){own->code, own->text, own->cause, own->remedy, own->severity};
    }
    const struct explanation *explanation = &EXPLANATIONS[index];
    const struct diagnostic_facts *facts = facts_of(explanation->code);
    return (struct explained){explanation->code, facts->text, explanation->cause,
                              explanation->remedy, facts->severity};
}

/* Describes a note. explanations.def has no rows for notes, because a note explains the message
 * before it. */
static bool find_note(const char *code, struct explained *explained)
{
    const struct diagnostic_facts *facts = facts_of(code);
    if (!facts || facts->severity != SEVERITY_NOTE)
        return false;
    *explained = (struct explained){
        .code = facts->code,
        .text = facts->text,
        .cause = "A note explains the message before it, or says what the link has done.",
        .remedy = "Correct what the message before it reports, if there is one.",
        .severity = SEVERITY_NOTE,
    };
    return true;
}

static void print_explanation(FILE *stream, const struct explained *explained)
{
    fprintf(stream, "%s (%s)\n", explained->code, SEVERITIES[explained->severity]);
    fprintf(stream, "  message: %s\n", explained->text);
    fprintf(stream, "  cause:   %s\n", explained->cause);
    fprintf(stream, "  remedy:  %s\n", explained->remedy);
}

bool explain_find(const char *code, struct explained *explained)
{
    for (size_t i = 0; i < MESSAGE_COUNT; i++) {
        *explained = message_at(i);
        if (!strcmp(explained->code, code))
            return true;
    }
    return find_note(code, explained);
}

static void print_all(FILE *stream)
{
    for (size_t i = 0; i < MESSAGE_COUNT; i++) {
        struct explained explained = message_at(i);
        print_explanation(stream, &explained);
    }
}

bool explain_print(FILE *stream, const char *code)
{
    struct explained explained;
    if (!strcmp(code, "all")) {
        print_all(stream);
        return true;
    }
    if (!explain_find(code, &explained))
        return false;
    print_explanation(stream, &explained);
    return true;
}
