/* The cache that --cache-url names; see remote_cache.h.
 *
 * One run of curl transfers all entries of a request, each from or to a file in a temporary folder.
 * curl reads its options from a file in that folder, because other users can see the arguments of a
 * program, and the address may contain a password. For each entry curl prints a line with the HTTP
 * status and the error. */
#include "cli/compile/remote_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "compile/cache_record.h"
#include "compile/process.h"
#include "compile/temporary_folder.h"

/* MOST_SECONDS is the time in seconds that one command may spend waiting for the server. If a build
 * waits longer, it would be faster without the cache. When less than LEAST_SECONDS of this time are
 * left, the server is reported as too slow. */
#define MOST_SECONDS  1.8
#define LEAST_SECONDS 0.1

/* The size limit of an entry in bytes. curl refuses larger entries. The compiled code of one PTX
 * text never exceeds this size. */
#define LARGEST_ENTRY "268435456"

static const char CONFIGURATION[] = "curl.conf", LOG[] = "log";

enum { NAME_CAPACITY = 80, HTTP_NOT_FOUND = 404, HTTP_GONE = 410 };

struct transfer {
    struct remote_cache *cache;
    struct temporary_folder folder;
    const struct cache_key *const *keys;
    size_t count;
    bool is_upload;
};

/* Sets the name of an entry on the server to 64 hexadecimal digits, because bazel-remote accepts no
 * other length. */
static void name_of(const struct cache_key *key, char *name)
{
    struct cache_key second;
    cache_key_set(&second, (struct bytes){(const uint8_t *)key->digest, sizeof key->digest});
    snprintf(name, NAME_CAPACITY, "%016llx%016llx%016llx%016llx",
             (unsigned long long)key->digest[1], (unsigned long long)key->digest[0],
             (unsigned long long)second.digest[1], (unsigned long long)second.digest[0]);
}

/* --------------------------------------------------------------------------------------------- */
/* Faults                                                                                        */

static void fail(struct remote_cache *cache, const char *reason)
{
    if (!cache->has_failed)
        snprintf(cache->warning, sizeof cache->warning, "The cache '%s' is not used any more: %s",
                 cache->shown_url, reason);
    cache->has_failed = true;
}

static void reject(void *context)
{
    struct remote_cache *cache = context;
    pthread_mutex_lock(&cache->lock);
    fail(cache, "an entry is damaged");
    pthread_mutex_unlock(&cache->lock);
}

bool remote_cache_take_warning(struct remote_cache *cache, char *text)
{
    if (!cache)
        return false;
    pthread_mutex_lock(&cache->lock);
    bool has_warning = cache->warning[0];
    if (has_warning)
        memcpy(text, cache->warning, sizeof cache->warning);
    cache->warning[0] = 0;
    pthread_mutex_unlock(&cache->lock);
    return has_warning;
}

/* --------------------------------------------------------------------------------------------- */
/* curl                                                                                          */

/* Writes a character of a quoted value to curl's option file. A line break is escaped, because it
 * would end the option and begin another one. curl then refuses the address. */
static void write_quoted(FILE *file, char character)
{
    if (character == '"' || character == '\\')
        putc('\\', file);
    if (character == '\n')
        fputs("\\n", file);
    else if (character == '\r')
        fputs("\\r", file);
    else
        putc(character, file);
}

static void write_entry(FILE *file, const struct transfer *transfer, size_t number)
{
    char name[NAME_CAPACITY];
    name_of(transfer->keys[number], name);
    fputs("url = \"", file);
    for (const char *next = transfer->cache->url; *next; next++)
        write_quoted(file, *next);
    fprintf(file, "/%s\"\n", name);
    if (transfer->is_upload)
        fprintf(file, "upload-file = \"%zu\"\noutput = \"/dev/null\"\n", number);
    else
        fprintf(file, "output = \"%zu\"\n", number);
}

/* Writes curl's option file. Without the option globoff, curl would expand brackets and braces in
 * the address to several addresses. */
static bool write_configuration(const struct transfer *transfer)
{
    FILE *file = temporary_folder_open(transfer->folder.path, CONFIGURATION);
    if (file)
        fputs("globoff\n", file);
    for (size_t i = 0; file && i < transfer->count; i++)
        write_entry(file, transfer, i);
    bool is_written = file && !ferror(file);
    return file && !fclose(file) && is_written;
}

/* Reads a line that curl printed for one entry: the HTTP status, or 0 if the server did not answer,
 * and the error. Reports an error, unless the server only lacks the requested entry. */
static void read_line(struct transfer *transfer, char *line)
{
    enum { SUCCESS = 2, CLASS = 100, DECIMAL = 10 };
    char *error, reason[64];
    long status = strtol(line, &error, DECIMAL);
    bool is_absent = !transfer->is_upload && (status == HTTP_NOT_FOUND || status == HTTP_GONE);
    error += strspn(error, " ");
    snprintf(reason, sizeof reason, "it answers with status %ld", status);
    if (!is_absent && *error)
        fail(transfer->cache, error);
    else if (!is_absent && status / CLASS != SUCCESS)
        fail(transfer->cache, reason);
}

/* Reports the first fault among the lines that curl printed. */
static void read_log(struct transfer *transfer)
{
    size_t size;
    char *log = temporary_folder_read(transfer->folder.path, LOG, &size), *state = NULL;
    char *line = log ? strtok_r(log, "\r\n", &state) : NULL;
    if (!line)
        fail(transfer->cache, "curl reported nothing");
    for (; line && !transfer->cache->has_failed; line = strtok_r(NULL, "\r\n", &state))
        read_line(transfer, line);
    free(log);
}

static void wait_for(struct transfer *transfer, pid_t process)
{
    enum { MARGIN = 1 };
    const struct process_watch watch = {MARGIN + (unsigned)MOST_SECONDS, &transfer->folder.held,
                                        NULL};
    struct process_result result = process_wait(process, &watch);
    if (result.end == PROCESS_TIMED_OUT)
        fail(transfer->cache, "it does not answer in time");
    else if (result.end != PROCESS_INTERRUPTED)
        read_log(transfer);
}

/* Runs curl for all entries of the transfer. The option --no-progress-meter is needed because with
 * --parallel, curl 7.88 shows its progress in spite of --silent. */
static void run_curl(struct transfer *transfer)
{
    char seconds[32];
    snprintf(seconds, sizeof seconds, "%.3f", transfer->cache->seconds_left);
    const char *arguments[] = {
        "curl",           "-q",          "--silent",    "--no-progress-meter",
        "--fail",         "--parallel",  "--header",    "Expect:",
        "--proto",        "=http,https", "--max-time",  seconds,
        "--max-filesize", LARGEST_ENTRY, "--write-out", "%{stderr}%{http_code} %{errormsg}\n",
        "--config",       CONFIGURATION, NULL};
    const struct process_plan plan = {
        .arguments = arguments, .folder = transfer->folder.path, .messages = LOG};
    pid_t process;
    int error = process_start(&plan, &process);
    if (error)
        fail(transfer->cache, "the program curl, which speaks to it, cannot be run");
    else
        wait_for(transfer, process);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Transfers all entries between the temporary folder and the server. Returns false after a
 * fault. */
static bool run_transfer(struct transfer *transfer)
{
    struct remote_cache *cache = transfer->cache;
    double start = seconds_now();
    if (write_configuration(transfer))
        run_curl(transfer);
    else
        fail(cache, "the temporary folder cannot be written to");
    bool is_good = !cache->has_failed;
    cache->seconds_left -= seconds_now() - start;
    if (cache->seconds_left < LEAST_SECONDS)
        fail(cache, "it is too slow");
    return is_good;
}

static bool begin(struct transfer *transfer)
{
    pthread_mutex_lock(&transfer->cache->lock);
    bool is_usable = !transfer->cache->has_failed;
    if (!is_usable)
        pthread_mutex_unlock(&transfer->cache->lock);
    else if (temporary_folder_create(&transfer->folder, getenv("TMPDIR")))
        fail(transfer->cache, "no temporary folder can be created");
    return is_usable;
}

static void end(struct transfer *transfer)
{
    temporary_folder_remove(&transfer->folder);
    pthread_mutex_unlock(&transfer->cache->lock);
}

/* --------------------------------------------------------------------------------------------- */
/* Requests                                                                                      */

static void fetch(void *context, const struct cache_key *const *keys, struct bytes *records,
                  size_t count)
{
    struct transfer transfer = {.cache = context, .keys = keys, .count = count};
    char name[NAME_CAPACITY];
    if (!begin(&transfer))
        return;
    bool is_good = !transfer.cache->has_failed && run_transfer(&transfer);
    for (size_t i = 0; i < count && is_good; i++) {
        size_t size = 0;
        snprintf(name, sizeof name, "%zu", i);
        char *contents = temporary_folder_read(transfer.folder.path, name, &size);
        records[i] = (struct bytes){(const uint8_t *)contents, size};
    }
    end(&transfer);
}

/* Writes each record that has bytes to a file. The files are numbered in the order of these
 * records. Stores the keys of these records in `present`, in the same order, and returns how many
 * there are. */
static size_t write_records(const struct transfer *transfer, const struct cache_key **present,
                            const struct bytes *records)
{
    char name[NAME_CAPACITY];
    size_t count = 0;
    for (size_t i = 0; i < transfer->count; i++) {
        snprintf(name, sizeof name, "%zu", count);
        if (records[i].data && temporary_folder_write(transfer->folder.path, name, records[i]))
            present[count++] = transfer->keys[i];
    }
    return count;
}

static void store(void *context, const struct cache_key *const *keys, const struct bytes *records,
                  size_t count)
{
    struct transfer transfer = {.cache = context, .keys = keys, .count = count, .is_upload = true};
    const struct cache_key **present = calloc(count, sizeof *present);
    if (present && begin(&transfer)) {
        if (!transfer.cache->has_failed)
            transfer.count = write_records(&transfer, present, records);
        transfer.keys = present;
        if (!transfer.cache->has_failed && transfer.count)
            run_transfer(&transfer);
        end(&transfer);
    }
    free(present);
}

/* --------------------------------------------------------------------------------------------- */
/* The choice                                                                                    */

/* The address without the user name and the password: "https://host/path" for
 * "https://user:password@host/path". */
static const char *without_password(struct arena *arena, const char *url)
{
    const char *host = strstr(url, "://");
    size_t scheme = host ? (size_t)(host - url) + strlen("://") : 0;
    size_t authority = strcspn(url + scheme, "/?#");
    for (size_t i = authority; i-- > 0;)
        if (url[scheme + i] == '@')
            return arena_format(arena, "%.*s%s", (int)scheme, url, url + scheme + i + 1);
    return url;
}

/* The address without slashes at its end. */
static const char *base_of(struct arena *arena, const char *url)
{
    size_t size = strlen(url);
    while (size && url[size - 1] == '/')
        size--;
    return arena_copy_string(arena, url, size);
}

struct remote_cache *remote_cache_create(const struct command_line *line)
{
    const char *url = command_line_text(line, OPTION_CACHE_URL);
    if (!url)
        url = getenv("WARPLD_CACHE_URL");
    if (!url || !*url)
        return NULL;
    struct remote_cache *cache = ARENA_NEW(line->arena, struct remote_cache);
    cache->store =
        (struct cache_remote){.context = cache, .fetch = fetch, .store = store, .reject = reject};
    cache->seconds_left = MOST_SECONDS;
    cache->url = base_of(line->arena, url);
    cache->shown_url = without_password(line->arena, cache->url);
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void remote_cache_destroy(struct remote_cache *cache)
{
    if (cache)
        pthread_mutex_destroy(&cache->lock);
}

const struct cache_remote *remote_cache_store(struct remote_cache *cache)
{
    return cache ? &cache->store : NULL;
}
