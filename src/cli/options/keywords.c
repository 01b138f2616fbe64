/* Values of options that take keywords; see keywords.h. Those of nvlink's options are as nvlink
 * 13.0.88 --help lists them. */
#include "cli/options/keywords.h"

#include <stdio.h>
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

/* A list of targets is for --device-link. */
static bool is_list(const char *word)
{
    return strchr(word, ',');
}

/* "sm_90a", or the virtual "compute_90a" and "lto_90a", which targets of CUDA 12 do not have here.
 */
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

static bool are_architectures(const char *words)
{
    char word[32];
    for (; is_list(words); words = strchr(words, ',') + 1) {
        size_t size = strcspn(words, ",");
        if (size >= sizeof word)
            return false;
        snprintf(word, sizeof word, "%.*s", (int)size, words);
        if (!is_architecture(word))
            return false;
    }
    return is_architecture(words);
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
        return are_architectures(word);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (KEYWORDS[i].option == id && !strcmp(KEYWORDS[i].word, word))
            return true;
    return false;
}

static const char *list_architectures(struct arena *arena)
{
    enum { FIRST_NUMBER = 50, LAST_NUMBER = 199 };
    static const char *const SUFFIXES[] = {"", "a", "f"};
    const char *list = "";
    for (int number = FIRST_NUMBER; number <= LAST_NUMBER; number++)
        for (size_t i = 0; i < sizeof SUFFIXES / sizeof *SUFFIXES; i++) {
            const char *name = arena_format(arena, "sm_%d%s", number, SUFFIXES[i]);
            if (warpld_knows_architecture(name))
                list = arena_format(arena, "%s%s%s", list, *list ? ", " : "", name);
        }
    return arena_format(arena, "%s; compute_NN and lto_NN are virtual targets", list);
}

const char *keyword_values(struct arena *arena, enum option_id id)
{
    const char *list = "";
    if (id == OPTION_ARCHITECTURE)
        return list_architectures(arena);
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof *KEYWORDS; i++)
        if (KEYWORDS[i].option == id)
            list = arena_format(arena, "%s%s%s", list, *list ? ", " : "", KEYWORDS[i].word);
    return list;
}

const char *keyword_default(enum option_id id)
{
    return id == OPTION_HOST_LINKER_SCRIPT ? "lcs-abs" : "";
}
