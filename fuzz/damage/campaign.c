/* Damages inputs, links them, and counts the rules that the outputs break.
 *
 *     campaign [--seed N] [--links N] [--keep FOLDER] INPUT...
 *     campaign --sweep PART/PARTS [--keep FOLDER] INPUT...
 *
 * An input is a file of the fuzz target fuzz_link, or a folder with objects that are linked
 * together, such as that of a golden link. For each link the program draws an input and damages it
 * with the mutator of the fuzz targets or by flipping a bit. Half of the links have random options.
 * A sweep sets each field of each input to each of a list of values (sweep.h), one at a time, and
 * links every damaged input three times, with different options. It makes only every PARTS-th of
 * these changes, beginning with number PART; the first one has number 0. An input is not used if
 * its output breaks a rule without a warning although it is not damaged. The program prints how
 * many links there were, how many of them gave an output and, for each rule, how many outputs broke
 * it, with and without a warning. With --keep, it writes to the folder, for each rule, the first
 * five inputs whose output broke the rule without a warning. The exit status is 1 if there was such
 * an output. */
#include <getopt.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../mutate.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "link_files.h"
#include "sweep.h"
#include "verify_output.h"
#include "warpld.h"

enum { LARGEST_INPUT = 1 << 20, MOST_RULES = 256, FLIPS_ONE_IN = 4 };

struct rule_count {
    const char *rule; /* a constant of the tool */
    unsigned silent;  /* outputs that broke the rule, without a warning */
    unsigned warned;
    unsigned last_link; /* the last link that was counted */
};

struct campaign {
    uint64_t random;
    const char *keep; /* folder, or NULL */
    unsigned links;
    unsigned outputs;
    unsigned broken; /* outputs that break a rule, without a warning */
    struct rule_count rules[MOST_RULES];
    size_t rules_count;

    /* The link at hand. */
    bool has_warned;
    const uint8_t *input;
    size_t input_size;
    bool is_broken;
};

/* xorshift64* by Vigna. */
static uint64_t draw(struct campaign *campaign)
{
    campaign->random ^= campaign->random >> 12;
    campaign->random ^= campaign->random << 25;
    campaign->random ^= campaign->random >> 27;
    return campaign->random * UINT64_C(0x2545f4914f6cdd1d) >> 16;
}

static _Noreturn void fail(const char *text, const char *name)
{
    fprintf(stderr, "campaign: %s: %s\n", text, name);
    exit(2);
}

static void keep_input(const struct campaign *campaign, const char *rule)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/%s-%u", campaign->keep, rule, campaign->links);
    FILE *file = fopen(name, "wb");
    if (!file || fwrite(campaign->input, 1, campaign->input_size, file) != campaign->input_size ||
        fclose(file))
        fail("cannot write", name);
}

static struct rule_count *find_rule(struct campaign *campaign, const char *rule)
{
    for (size_t i = 0; i < campaign->rules_count; i++)
        if (!strcmp(campaign->rules[i].rule, rule))
            return &campaign->rules[i];
    if (campaign->rules_count == MOST_RULES)
        fail("too many rules", rule);
    struct rule_count *count = &campaign->rules[campaign->rules_count++];
    *count = (struct rule_count){.rule = rule};
    return count;
}

static void take_violation(void *context, const char *rule, const char *section, const char *text)
{
    struct campaign *campaign = context;
    struct rule_count *count = find_rule(campaign, rule);
    enum { MOST_KEPT = 5 };
    (void)section;
    (void)text;
    if (count->last_link == campaign->links)
        return;
    count->last_link = campaign->links;
    unsigned *counter = campaign->has_warned ? &count->warned : &count->silent;
    if (campaign->keep && !campaign->has_warned && *counter < MOST_KEPT)
        keep_input(campaign, rule);
    ++*counter;
    campaign->is_broken = !campaign->has_warned;
}

static void link_damaged(struct campaign *campaign, const uint8_t *data, size_t size)
{
    struct files files;
    enum warpld_status status;
    unsigned diagnostics[WARPLD_FATAL + 1] = {0};
    const void *output;
    size_t output_size;
    campaign->links++;
    cut_into_files(&files, data, size);
    struct warpld_link *link = run_link(&files, &status, diagnostics);
    if (status == WARPLD_OK && warpld_output(link, &output, &output_size) == WARPLD_OK) {
        campaign->outputs++;
        campaign->has_warned = diagnostics[WARPLD_WARNING];
        campaign->input = data;
        campaign->input_size = size;
        campaign->is_broken = false;
        verify_output((struct bytes){output, output_size}, take_violation, campaign);
        campaign->broken += campaign->is_broken;
    }
    warpld_destroy(link);
    free_files(&files);
}

static size_t damage(struct campaign *campaign, uint8_t *data, size_t size)
{
    uint64_t drawn = draw(campaign);
    if (drawn % FLIPS_ONE_IN || !size)
        return LLVMFuzzerCustomMutator(data, size, LARGEST_INPUT, (unsigned)draw(campaign));
    uint64_t bit = draw(campaign) % (8 * size);
    data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    return size;
}

/* Draws any options but -g and -kernels-used. With these two, even outputs of undamaged inputs
 * break rules: like nvlink's outputs, they have relocations of removed functions, and kernels that
 * are called but not launched. */
static void choose_options(struct campaign *campaign, uint8_t *data, size_t size)
{
    uint64_t drawn = draw(campaign);
    if (size <= MORE_OPTIONS_BYTE)
        return;
    if (drawn % 2) {
        data[OPTIONS_BYTE] = (uint8_t)(drawn >> 1);
        data[MORE_OPTIONS_BYTE] = (uint8_t)(drawn >> 9);
    }
    data[OPTIONS_BYTE] &= (uint8_t) ~(OPTION_DEBUG | OPTION_KERNELS); /* damage can set these */
}

static size_t read_file(const char *path, uint8_t *data, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(data, 1, most, file) : 0;
    if (!file || fclose(file))
        fail("cannot read", path);
    return size;
}

static bool is_object(const uint8_t *data, size_t size)
{
    enum { TYPE = 16 };
    return size > TYPE + 1 && !memcmp(data, "\177ELF", 4) && load_u16(data + TYPE) == ET_REL;
}

/* Concatenates the first objects of a folder, in the order of their names. */
static size_t read_folder(const char *folder, uint8_t *data)
{
    char pattern[4096];
    glob_t found;
    size_t size = 0;
    snprintf(pattern, sizeof pattern, "%s/*.cubin", folder);
    if (glob(pattern, 0, NULL, &found))
        return 0;
    for (size_t i = 0, objects = 0; i < found.gl_pathc && objects < FILE_LIMIT; i++) {
        size_t more = read_file(found.gl_pathv[i], data + size, LARGEST_INPUT / 2 - size);
        bool is_whole = size + more < LARGEST_INPUT / 2;
        if (is_whole && is_object(data + size, more)) {
            size += more;
            objects++;
        }
    }
    globfree(&found);
    return size;
}

static size_t read_input(const char *path, uint8_t *data)
{
    struct stat status;
    bool is_folder = !stat(path, &status) && S_ISDIR(status.st_mode);
    return is_folder ? read_folder(path, data) : read_file(path, data, LARGEST_INPUT);
}

/* Moves the inputs whose output breaks no rule, or only with a warning, to the front of the list.
 * Returns their number. */
static size_t keep_good(char **paths, size_t count, uint8_t *data)
{
    size_t good = 0;
    for (size_t i = 0; i < count; i++) {
        struct campaign trial = {.random = 1};
        size_t size = read_input(paths[i], data);
        if (size)
            link_damaged(&trial, data, size);
        if (size && !trial.broken)
            paths[good++] = paths[i];
    }
    return good;
}

static void run_campaign(struct campaign *campaign, char **paths, size_t count, unsigned links)
{
    uint8_t *data = malloc(LARGEST_INPUT);
    if (!data)
        fail("out of memory", "-");
    count = keep_good(paths, count, data);
    if (!count)
        fail("all inputs break a rule", "-");
    while (campaign->links < links) {
        size_t size = read_input(paths[draw(campaign) % count], data);
        size = damage(campaign, data, size);
        choose_options(campaign, data, size);
        link_damaged(campaign, data, size);
    }
    free(data);
}

/* Links the damaged input three times: plainly, with -r, and with both options that move constants.
 */
static void link_swept(void *context, uint8_t *data, size_t size)
{
    static const uint8_t OPTIONS[][2] = {
        {0, 0}, {0, OPTION_RELOCATABLE}, {OPTION_MERGE_CONSTANTS | OPTION_REMOVE_CONSTANTS, 0}};
    struct campaign *campaign = context;
    uint8_t own[2];
    if (size <= MORE_OPTIONS_BYTE)
        return;
    memcpy(own, data + OPTIONS_BYTE, sizeof own);
    for (size_t i = 0; i < sizeof OPTIONS / sizeof *OPTIONS; i++) {
        memcpy(data + OPTIONS_BYTE, OPTIONS[i], sizeof own);
        link_damaged(campaign, data, size);
    }
    memcpy(data + OPTIONS_BYTE, own, sizeof own);
}

static void run_sweep(struct campaign *campaign, char **paths, size_t count, const char *range)
{
    struct sweep sweep = {.handler = link_swept, .context = campaign};
    uint8_t *data = malloc(LARGEST_INPUT);
    if (!data)
        fail("out of memory", "-");
    int end = 0;
    if (sscanf(range, "%" SCNu64 "/%" SCNu64 "%n", &sweep.part, &sweep.parts, &end) != 2 ||
        range[end] || sweep.part >= sweep.parts)
        fail("not a part of a sweep, such as 0/16", range);
    count = keep_good(paths, count, data);
    for (size_t i = 0; i < count; i++)
        sweep_input(&sweep, data, read_input(paths[i], data));
    if (!campaign->links)
        fail("the sweep has no damage", range);
    free(data);
}

int main(int count, char **arguments)
{
    static const struct option OPTIONS[] = {{"seed", required_argument, NULL, 's'},
                                            {"links", required_argument, NULL, 'l'},
                                            {"keep", required_argument, NULL, 'k'},
                                            {"sweep", required_argument, NULL, 'w'},
                                            {NULL, 0, NULL, 0}};
    static struct campaign campaign = {.random = 1};
    const char *range = NULL;
    unsigned links = 10000;
    for (int option; (option = getopt_long(count, arguments, "", OPTIONS, NULL)) != -1;) {
        if (option == 's')
            campaign.random = strtoull(optarg, NULL, 10) * 2 + 1;
        else if (option == 'l')
            links = (unsigned)strtoul(optarg, NULL, 10);
        else if (option == 'k')
            campaign.keep = optarg;
        else if (option == 'w')
            range = optarg;
        else
            return 2;
    }
    if (optind == count)
        fail("usage", "[--seed N] [--links N] [--sweep PART/PARTS] [--keep FOLDER] INPUT...");
    if (range)
        run_sweep(&campaign, arguments + optind, (size_t)(count - optind), range);
    else
        run_campaign(&campaign, arguments + optind, (size_t)(count - optind), links);
    printf("%u links, %u outputs, %u break a rule without a warning\n", campaign.links,
           campaign.outputs, campaign.broken);
    for (size_t i = 0; i < campaign.rules_count; i++)
        printf("%-24s %6u silent %6u with a warning\n", campaign.rules[i].rule,
               campaign.rules[i].silent, campaign.rules[i].warned);
    return campaign.broken > 0;
}
