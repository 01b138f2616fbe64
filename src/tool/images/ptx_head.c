/* Reads the head of a PTX text; see ptx_head.h. */
#include "tool/images/ptx_head.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"

/* The part of a PTX text that has not been read yet. */
struct text {
    const char *next;
    const char *end;
};

static bool begins_with(const struct text *text, const char *start)
{
    size_t size = strlen(start);
    return (size_t)(text->end - text->next) >= size && !memcmp(text->next, start, size);
}

/* Moves past the next occurrence of `what`, or to the end. */
static void skip_past(struct text *text, const char *what)
{
    while (text->next < text->end && !begins_with(text, what))
        text->next++;
    text->next += text->next < text->end ? strlen(what) : 0;
}

static void skip_space(struct text *text)
{
    while (text->next < text->end) {
        if (isspace((unsigned char)*text->next))
            text->next++;
        else if (begins_with(text, "//"))
            skip_past(text, "\n");
        else if (begins_with(text, "/*"))
            skip_past(text, "*/");
        else
            return;
    }
}

/* Reads a word of letters, digits, dots and underscores. A word that is too long is cut off. */
static void read_word(struct text *text, char *word, size_t capacity)
{
    size_t size = 0;
    skip_space(text);
    for (; text->next < text->end; text->next++) {
        char c = *text->next;
        if (!isalnum((unsigned char)c) && c != '.' && c != '_')
            break;
        if (size + 1 < capacity)
            word[size++] = c;
    }
    word[size] = 0;
}

/* Moves past the remaining words of a directive, such as "debug" in ".target sm_90, debug". */
static void skip_list(struct text *text)
{
    char word[16];
    for (skip_space(text); begins_with(text, ","); skip_space(text)) {
        text->next++;
        read_word(text, word, sizeof word);
    }
}

void ptx_head_read(struct bytes bytes, struct ptx_head *head)
{
    *head = (struct ptx_head){.version = ""};
    if (!bytes.size)
        return;
    struct text text = {(const char *)bytes.data, (const char *)bytes.data + bytes.size};
    char word[16];
    for (read_word(&text, word, sizeof word); word[0] == '.'; read_word(&text, word, sizeof word)) {
        if (!strcmp(word, ".version"))
            read_word(&text, head->version, sizeof head->version);
        else if (!strcmp(word, ".target"))
            read_word(&text, head->target, sizeof head->target);
        else
            return;
        skip_list(&text);
    }
}
