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

/* Notes of the library. They have no remedy, because they explain the message before them or say
 * what the link has done. */
static const struct note_explanation {
    char code[32];
    char meaning[184];
} NOTE_EXPLANATIONS[] = {
#define NOTE_EXPLANATION(code, meaning) {code, meaning},
#include "cli/explain/note_explanations.def"
#undef NOTE_EXPLANATION
};

static const char *const SEVERITIES[] = {
    [SEVERITY_NOTE] = "note",   [SEVERITY_INFO] = "info",         [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error", [SEVERITY_FATAL] = "fatal error",
};

/* Finds the library's message with this code. Always succeeds for codes of EXPLANATIONS and
 * NOTE_EXPLANATIONS: tests/tidy checks that the library has each of them. */
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
    END_COMMAND_MESSAGES = LINK_MESSAGE_COUNT + sizeof COMMAND_MESSAGES / sizeof *COMMAND_MESSAGES,
    MESSAGE_COUNT = END_COMMAND_MESSAGES + sizeof NOTE_EXPLANATIONS / sizeof *NOTE_EXPLANATIONS,
};

static struct explained note_at(size_t index)
{
    const struct note_explanation *note = &NOTE_EXPLANATIONS[index];
    return (struct explained){note->code, facts_of(note->code)->text, note->meaning, NULL,
                              SEVERITY_NOTE};
}

static struct explained message_at(size_t index)
{
    if (index >= END_COMMAND_MESSAGES)
        return note_at(index - END_COMMAND_MESSAGES);
    if (index >= LINK_MESSAGE_COUNT) {
        const struct command_message *own = &COMMAND_MESSAGES[index - LINK_MESSAGE_COUNT];
        return (struct explained){own->code, own->text, own->cause, own->remedy, own->severity};
    }
    const struct explanation *explanation = &EXPLANATIONS[index];
    const struct diagnostic_facts *facts = facts_of(explanation->code);
    return (struct explained){explanation->code, facts->text, explanation->cause,
                              explanation->remedy, facts->severity};
}

static void print_explanation(FILE *stream, const struct explained *explained)
{
    fprintf(stream, "%s (%s)\n", explained->code, SEVERITIES[explained->severity]);
    fprintf(stream, "  message: %s\n", explained->text);
    fprintf(stream, "  %s %s\n", explained->remedy ? "cause:  " : "meaning:", explained->cause);
    if (explained->remedy)
        fprintf(stream, "  remedy:  %s\n", explained->remedy);
}

bool explain_find(const char *code, struct explained *explained)
{
    for (size_t i = 0; i < MESSAGE_COUNT; i++) {
        *explained = message_at(i);
        if (!strcmp(explained->code, code))
            return true;
    }
    return false;
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
