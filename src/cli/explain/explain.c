/* Explains messages by their codes; see explain.h. */
#include "cli/explain/explain.h"

#include <string.h>

#include "base/diagnostic.h"

static const struct explanation {
    const char *code;
    const char *cause;
    const char *remedy;
} EXPLANATIONS[] = {
#define EXPLANATION(code, cause, remedy) {code, cause, remedy},
#include "cli/explain/explanations.def"
#undef EXPLANATION
};

static const char *const SEVERITIES[] = {
    [SEVERITY_INFO] = "info",
    [SEVERITY_WARNING] = "warning",
    [SEVERITY_ERROR] = "error",
    [SEVERITY_FATAL] = "fatal error",
};

/* tests/tidy checks that each code of the table is one of the library's. */
static const struct diagnostic_facts *facts_of(const char *code)
{
    for (int name = 0; name < DIAGNOSTIC_COUNT; name++) {
        const struct diagnostic_facts *facts = diagnostic_facts((enum diagnostic_name)name);
        if (!strcmp(facts->code, code))
            return facts;
    }
    return NULL;
}

static void print_explanation(FILE *stream, const struct explanation *explanation)
{
    const struct diagnostic_facts *facts = facts_of(explanation->code);
    fprintf(stream, "%s (%s)\n", explanation->code, SEVERITIES[facts->severity]);
    fprintf(stream, "  message: %s\n", facts->text);
    fprintf(stream, "  cause:   %s\n", explanation->cause);
    fprintf(stream, "  remedy:  %s\n", explanation->remedy);
}

bool explain_print(FILE *stream, const char *code)
{
    bool is_all = !strcmp(code, "all"), is_found = false;
    for (size_t i = 0; i < sizeof EXPLANATIONS / sizeof *EXPLANATIONS; i++) {
        if (!is_all && strcmp(EXPLANATIONS[i].code, code) != 0)
            continue;
        print_explanation(stream, &EXPLANATIONS[i]);
        is_found = true;
    }
    return is_found;
}
