/* Collects the options that inputs with LTO-IR record; see input_options.h.
 *
 * nvcc 13.0.88 records options in fat binaries as a text, such as "-maxreg 32 -generate-line-info
 * -split-compile 2 -ftz=0 -prec_div=1 -prec_sqrt=1 -fmad=1". nvlink 13.0.88 compares the options of
 * different inputs after it has read all inputs, in the order of the table OPTIONS. LTO-IR outside
 * a fat binary has no recorded options, and never causes an error here. */
#include "link/lto/input_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/diagnostic.h"
#include "link/input/input_state.h"
#include "link/model/input_file.h"

enum recorded_option { LINE_INFO, MAX_REGISTERS, FTZ, PREC_DIV, PREC_SQRT, FMAD, SPLIT_COMPILE };

static const struct option {
    const char *word;    /* the text in the record; if it ends in '=' or a blank, a value follows */
    const char *name;    /* name of nvcc's option, for messages */
    bool may_be_missing; /* no message if only some inputs record the option */
} OPTIONS[] = {
    [LINE_INFO] = {"-generate-line-info", "-lineinfo", false},
    [MAX_REGISTERS] = {"-maxreg ", "-maxrregcount", false},
    [FTZ] = {"-ftz=", "-ftz", true},
    [PREC_DIV] = {"-prec_div=", "-prec-div", true},
    [PREC_SQRT] = {"-prec_sqrt=", "-prec-sqrt", true},
    [FMAD] = {"-fmad=", "-fmad", true},
    [SPLIT_COMPILE] = {"-split-compile ", "-split-compile", true},
};

/* The values that the inputs record for one option. */
struct agreement {
    const char *value; /* value in the first input that records one; NULL if none does */
    /* `first` is the input that records `value`. `other` is the first input that records another
     * value. NULL if there is no such input. */
    const struct intermediate *first, *other;
    bool is_missing; /* some input records options, but not this option */
};

/* Returns the value of the option in the recorded text; "" if the option takes no value, and NULL
 * if the text does not contain the option. */
static const char *recorded_value(link_context *link, const struct option *option, const char *text)
{
    size_t size = strlen(option->word);
    bool has_value = strchr("= ", option->word[size - 1]);
    while ((text = strstr(text, option->word)) && !has_value && text[size] && text[size] != ' ')
        text += size;
    if (!text)
        return NULL;
    text += size;
    return has_value ? arena_copy_string(&link->arena, text, strcspn(text, " ")) : "";
}

static struct agreement agree(link_context *link, const struct option *option)
{
    struct agreement found = {.value = NULL};
    for (size_t i = 0; i < link->input->intermediates_count; i++) {
        const struct intermediate *intermediate = &link->input->intermediates[i];
        if (!intermediate->options)
            continue;
        const char *value = recorded_value(link, option, intermediate->options);
        found.is_missing |= !value;
        if (value && !found.value) {
            found.value = value;
            found.first = intermediate;
        } else if (value && strcmp(value, found.value) != 0 && !found.other) {
            found.other = intermediate;
        }
    }
    return found;
}

static void report_difference(link_context *link, const struct option *option,
                              const struct agreement *found)
{
    const char *input = found->other->unit->name;
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_OPTIONS_DIFFER, input, NULL, option->name);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_OPTION_VALUES, input, NULL,
                      found->first->unit->name, option->name, found->value, input, option->name,
                      recorded_value(link, option, found->other->options));
}

static void report_missing(link_context *link, const struct option *option, const char *value)
{
    const char *with = arena_format(&link->arena, "%s%s%s", option->name, *value ? "=" : "", value);
    diagnostic_report(&link->diagnostics, DIAGNOSTIC_LTO_OPTION_FOR_ALL, NULL, NULL, option->name,
                      with);
}

bool input_options_collect(link_context *link, struct input_options *options)
{
    const char *values[sizeof OPTIONS / sizeof *OPTIONS] = {NULL};
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        if (i == MAX_REGISTERS && link->options.own_register_limit)
            continue;
        struct agreement found = agree(link, &OPTIONS[i]);
        if (found.other) {
            report_difference(link, &OPTIONS[i], &found);
            return false;
        }
        if (found.value && found.is_missing && !OPTIONS[i].may_be_missing)
            report_missing(link, &OPTIONS[i], found.value);
        values[i] = found.value;
    }
    enum { DECIMAL = 10 };
    *options = (struct input_options){
        .max_registers =
            values[MAX_REGISTERS] ? (unsigned)strtoul(values[MAX_REGISTERS], NULL, DECIMAL) : 0,
        .split_compile =
            values[SPLIT_COMPILE] ? (unsigned)strtoul(values[SPLIT_COMPILE], NULL, DECIMAL) : 0,
    };
    return true;
}
