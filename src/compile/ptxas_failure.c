/* Failures of ptxas; see ptxas_failure.h.
 *
 * ptxas 13.0.88 prints these messages for PTX that is cut off, for PTX of version 9.1, and for PTX
 * of a later target:
 *     ptxas application ptx input, line 21; fatal   : Parsing error near '': syntax error
 *     ptxas application ptx input, line 9; fatal   : Unsupported .version 9.1; current ...
 *     ptxas fatal   : SM version specified by .target is higher than default ... */
#define _GNU_SOURCE /* memmem */
#include "compile/ptxas_failure.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "compile/ptxas_messages.h"

static const char UNSUPPORTED[] = "Unsupported .version ";
static const char LATER_TARGET[] = "SM version specified by .target is higher than default";

static const struct {
    const char *version, *release;
} RELEASES[] = {
#define PTX_VERSION(version, release) {version, release},
#include "compile/ptx_versions.def"
#undef PTX_VERSION
};

/* The rest of the text after the phrase; empty if it does not occur. */
static struct bytes after(struct bytes text, const char *phrase)
{
    size_t size = strlen(phrase);
    const uint8_t *found = text.size ? memmem(text.data, (size_t)text.size, phrase, size) : NULL;
    uint64_t skipped = found ? (uint64_t)(found - text.data) + size : text.size;
    return (struct bytes){text.size ? text.data + skipped : NULL, text.size - skipped};
}

static bool begins_with(struct bytes text, const char *phrase)
{
    size_t size = strlen(phrase);
    return text.size >= size && !memcmp(text.data, phrase, size);
}

/* Takes a number from the start of the text. At most 18 digits are taken, because no text has so
 * many lines. */
static uint64_t take_number(struct bytes *text)
{
    uint64_t number = 0;
    for (int i = 0; i < 18 && text->size && *text->data >= '0' && *text->data <= '9'; i++) {
        number = number * 10 + (uint64_t)(*text->data - '0');
        *text = (struct bytes){text->data + 1, text->size - 1};
    }
    return number;
}

uint64_t ptxas_failure_line(struct bytes messages)
{
    struct bytes rest = messages;
    while ((rest = after(rest, ", line ")).size) {
        uint64_t line = take_number(&rest);
        if (line && (begins_with(rest, "; error ") || begins_with(rest, "; fatal ")))
            return line;
    }
    return 0;
}

static size_t version_length(struct bytes text)
{
    size_t length = 0;
    while (length < text.size && length < 16 &&
           (text.data[length] == '.' || (text.data[length] >= '0' && text.data[length] <= '9')))
        length++;
    return length;
}

static const char *remedy_of_version(struct arena *arena, struct bytes text)
{
    const char *version = arena_copy_string(arena, (const char *)text.data, version_length(text));
    for (size_t i = 0; i < sizeof RELEASES / sizeof *RELEASES; i++)
        if (!strcmp(version, RELEASES[i].version))
            return arena_format(arena,
                                "PTX version %s needs the ptxas of CUDA %s or later; name one with "
                                "--ptxas-path",
                                version, RELEASES[i].release);
    return arena_format(arena,
                        "PTX version %s needs the ptxas of a later CUDA release; name one with "
                        "--ptxas-path",
                        version);
}

const char *ptxas_failure_remedy(struct arena *arena, struct bytes messages,
                                 const char *architecture)
{
    struct bytes version = after(messages, UNSUPPORTED);
    if (version.size)
        return remedy_of_version(arena, version);
    if (after(messages, LATER_TARGET).size)
        return arena_format(arena,
                            "the .target of this PTX is later than %s; compile it for %s or "
                            "an earlier target, or link for the later one",
                            architecture, architecture);
    if (ptxas_failed_after_parsing(messages))
        return arena_format(
            arena,
            "the PTX is valid, but exceeds a limit of %s; the messages of ptxas say "
            "which",
            architecture);
    return NULL;
}
