/* Values of options that take keywords; see keywords.h. The keywords of nvlink's options are those
 * that nvlink 13.0.88 --help lists. */
#include "cli/options/keywords.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "warpld.h"

static const struct {
    enum option_id option;
    char word[8];
} KEYWORDS[] = {
#define HOST_MACHINE(number, name) {OPTION_CPU_ARCH, name},
#include "base/host_machine.def"
#undef HOST_MACHINE
    {OPTION_CPU_ARCH, "unknown"},
    {OPTION_MACHINE, "64"},
    {OPTION_OUTPUT_ABI, "7"},
    {OPTION_OUTPUT_ABI, "8"},
    {OPTION_HOST_LINKER_SCRIPT, "lcs-abs"},
    {OPTION_HOST_LINKER_SCRIPT, "lcs-aug"},
    {OPTION_COLOR, "auto"},
    {OPTION_COLOR, "always"},
    {OPTION_COLOR, "never"},
    {OPTION_DIAGNOSTICS_FORMAT, "text"},
    {OPTION_DIAGNOSTICS_FORMAT, "json"},
    {OPTION_DIAGNOSTICS_FORMAT, "sarif"},
#define COMPRESSION_MODE(name, word) {OPTION_COMPRESS_MODE, word},
#include "base/compression_mode.def"
#undef COMPRESSION_MODE
    {OPTION_AS, "warpld"},
    {OPTION_AS, "nvlink"},
};

enum { ABI_CUDA_12 = 7 };

/* Whether the word is a list of targets, as --device-link accepts it. */
static bool is_list(const char *word)
{
    return strchr(word, ',');
}

/* Accepts real targets such as "sm_90a", and the virtual forms "compute_90a" and "lto_90a", but no
 * virtual form of a target that only CUDA 12 has. */
static bool is_architecture(const char *word)
{
    static const char *const PREFIXES[] = {"sm_", "compute_", "lto_"};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t size = strlen(PREFIXES[i]);
        char name[16];
        if (strncmp(word, PREFIXES[i], size) != 0 || strlen(word + size) > 8)
            continue;
        snprintf(name, sizeof name, "sm_%s", word + size);
        bool is_real = !i;
        return is_real ? warpld_knows_architecture(name) : warpld_output_abi(name) > ABI_CUDA_12;
    }
    return false;
}

/* Copies the first word of a list. Returns false if it is longer than any target. */
static bool copy_target(char *word, size_t capacity, const char *words)
{
    size_t size = strcspn(words, ",");
    if (size >= capacity)
        return false;
    snprintf(word, capacity, "%.*s", (int)size, words);
    return true;
}

/* Returns a pointer to the first word of the list that is not a target, or NULL. */
static const char *unknown_architecture(const char *words)
{
    char word[32];
    for (; is_list(words); words = strchr(words, ',') + 1)
        if (!copy_target(word, sizeof word, words) || !is_architecture(word))
            return words;
    return is_architecture(words) ? NULL : words;
}

bool keyword_is_unknown_to_nvlink(enum option_id id, const char *word)
{
    return id == OPTION_ARCHITECTURE && (is_list(word) || warpld_output_abi(word) == ABI_CUDA_12);
}

unsigned keyword_machine(const char *word)
{
    static const struct {
        unsigned machine;
        char word[8];
    } MACHINES[] = {
#define HOST_MACHINE(number, name) {number, name},
#include "base/host_machine.def"
#undef HOST_MACHINE
    };
    for (size_t i = 0; word && i < sizeof MACHINES / sizeof *MACHINES; i++)
        if (!strcmp(MACHINES[i].word, word))
            return MACHINES[i].machine;
    return 0;
}

bool keyword_is_defined(enum option_id id, const char *word)
{
    if (id == OPTION_ARCHITECTURE)
        return !unknown_architecture(word);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (KEYWORDS[i].option == id && !strcmp(KEYWORDS[i].word, word))
            return true;
    return false;
}

/* --------------------------------------------------------------------------------------------- */
/* Suggestions                                                                                   */

/* Returns the target that the user probably means by a word such as "90", "9.0", "SM_90a", "sm90"
 * or "sm_90x". NULL if there is no such target. */
static const char *near_architecture(struct arena *arena, const char *word)
{
    const char *digits = word + strcspn(word, "0123456789"), *rest;
    unsigned long number = strtoul(digits, (char **)&rest, 10);
    if (*rest == '.')
        number = number * 10 + strtoul(rest + 1, (char **)&rest, 10);
    const char *plain = arena_format(arena, "sm_%lu", number);
    const char *exact = arena_format(arena, "%s%.1s", plain, rest);
    if (warpld_knows_architecture(exact))
        return exact;
    return warpld_knows_architecture(plain) ? plain : NULL;
}

static const char *list_architectures(struct arena *arena)
{
    enum { FIRST_NUMBER = 50, LAST_NUMBER = 199 };
    static const char *const SUFFIXES[] = {"", "a", "f"};
    const char *list = "the targets are", *comma = "";
    for (int number = FIRST_NUMBER; number <= LAST_NUMBER; number++)
        for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
            const char *name = arena_format(arena, "sm_%d%s", number, SUFFIXES[i]);
            if (!warpld_knows_architecture(name))
                continue;
            list = arena_format(arena, "%s%s %s", list, comma, name);
            comma = ",";
        }
    return list;
}

static bool is_word_of_nvcc(const char *word)
{
    return !strcmp(word, "native") || !strcmp(word, "all") || !strcmp(word, "all-major");
}

static const char *suggest_architecture(struct arena *arena, const char *words)
{
    const char *unknown = unknown_architecture(words);
    const char *word = arena_copy_string(arena, unknown, strcspn(unknown, ","));
    const char *near = near_architecture(arena, word);
    if (is_word_of_nvcc(word))
        return arena_format(arena, "'%s' is a value of nvcc; name a target such as sm_90", word);
    return near ? arena_format(arena, "did you mean '%s'?", near) : list_architectures(arena);
}

const char *keyword_suggestion(struct arena *arena, enum option_id id, const char *word)
{
    const char *list = "the values are", *comma = "";
    if (id == OPTION_ARCHITECTURE)
        return suggest_architecture(arena, word);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (KEYWORDS[i].option == id) {
            list = arena_format(arena, "%s%s '%s'", list, comma, KEYWORDS[i].word);
            comma = ",";
        }
    return list;
}

const char *keyword_default(enum option_id id)
{
    static const char *const DEFAULTS[OPTION_COUNT] = {
        [OPTION_FAST_COMPILE] = "0", /* nvlink 13.0.88 records this value in the tool note */
        [OPTION_HOST_LINKER_SCRIPT] = "lcs-abs",
    };
    return DEFAULTS[id] ? DEFAULTS[id] : "";
}
