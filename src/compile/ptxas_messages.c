/* Messages of ptxas; see ptxas_messages.h. */
#define _GNU_SOURCE /* memmem, memrchr */
#include "compile/ptxas_messages.h"

#include <string.h>

#include "compile/process.h"

static const char UNSUPPORTED[] = "; fatal   : Unsupported .version ";
static const char ABORTED[] = "ptxas fatal   : Ptx assembly aborted due to errors\n";
static const char ERROR[] = "ptxas error   : ", FATAL[] = "ptxas fatal   : ";

static const uint8_t *find(struct bytes text, const char *phrase)
{
    return text.size ? memmem(text.data, (size_t)text.size, phrase, strlen(phrase)) : NULL;
}

static bool has_line(struct bytes text, const char *start)
{
    size_t size = strlen(start);
    for (size_t at = 0, rest; at < text.size; at += rest) {
        const uint8_t *line = text.data + at;
        rest = (size_t)text.size - at;
        if (rest >= size && !memcmp(line, start, size))
            return true;
        const uint8_t *newline = memchr(line, '\n', rest);
        rest = newline ? (size_t)(newline - line) + 1 : rest;
    }
    return false;
}

static const char GAP[] = "[...]\n";

/* Copies the first and the last lines of messages that are too many. */
static struct bytes copy_ends(uint8_t *copy, struct bytes messages)
{
    const uint8_t *last = messages.data + messages.size - PROCESS_KEPT_MESSAGES;
    const uint8_t *newline = memrchr(messages.data, '\n', PROCESS_KEPT_MESSAGES);
    size_t first_size = newline ? (size_t)(newline - messages.data) + 1 : PROCESS_KEPT_MESSAGES;
    const uint8_t *line = memchr(last, '\n', PROCESS_KEPT_MESSAGES - 1);
    size_t left_out = line ? (size_t)(line - last) + 1 : 0;
    memcpy(copy, messages.data, first_size);
    memcpy(copy + first_size, GAP, sizeof GAP - 1);
    memcpy(copy + first_size + sizeof GAP - 1, last + left_out, PROCESS_KEPT_MESSAGES - left_out);
    size_t size = first_size + sizeof GAP - 1 + PROCESS_KEPT_MESSAGES - left_out;
    copy[size] = 0;
    return (struct bytes){copy, size};
}

size_t ptxas_messages_copied_size(struct bytes messages)
{
    return messages.size > PROCESS_MOST_MESSAGES ? (size_t)PROCESS_KEPT_MESSAGES * 2 + sizeof GAP
                                                 : (size_t)messages.size + 1;
}

struct bytes ptxas_messages_copy_to(uint8_t *copy, struct bytes messages)
{
    if (messages.size > PROCESS_MOST_MESSAGES)
        return copy_ends(copy, messages);
    const uint8_t *aborted = find(messages, UNSUPPORTED) ? find(messages, ABORTED) : NULL;
    size_t size = (size_t)messages.size, left_out = aborted ? sizeof ABORTED - 1 : 0;
    size_t before = aborted ? (size_t)(aborted - messages.data) : size;
    if (size)
        memcpy(copy, messages.data, before);
    if (aborted)
        memcpy(copy + before, aborted + left_out, size - before - left_out);
    copy[size - left_out] = 0;
    return (struct bytes){copy, size - left_out};
}

bool ptxas_failed_after_parsing(struct bytes messages)
{
    return has_line(messages, ERROR) && !has_line(messages, FATAL);
}
