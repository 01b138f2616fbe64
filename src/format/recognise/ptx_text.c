/* Reads the head of a PTX text: the text up to the version number; see ptx_text.h.
 *
 * The rules are those of ptxas 13.0.88, found by compiling 90 texts with different heads:
 *   - Comments, line markers of preprocessors, blanks, tabs, form feeds, CR, LF and Ctrl-Z may
 *     precede the first directive, in any order.
 *   - A comment that begins with two slashes ends only at an LF. A comment that begins with a slash
 *     and an asterisk ends at the first asterisk and slash.
 *   - The first directive must be .version, with a number that has a point.
 *   - Vertical tabs, byte order marks and NULs are refused.
 * Only one rule differs: this reader accepts non-ASCII bytes in comments. If such a text is
 * compiled, ptxas refuses it with its own message. */
#include "format/recognise/ptx_text.h"

#include <string.h>

struct cursor {
    const uint8_t *at, *end;
};

static bool is_space(uint8_t byte)
{
    enum { CTRL_Z = 0x1a };
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\f' || byte == '\r' ||
           byte == CTRL_Z;
}

static bool skip_spaces(struct cursor *text)
{
    const uint8_t *start = text->at;
    while (text->at < text->end && is_space(*text->at))
        text->at++;
    return text->at > start;
}

/* Skips spaces, but no line end. Returns false if there are none. */
static bool skip_blanks(struct cursor *text)
{
    const uint8_t *start = text->at;
    while (text->at < text->end && *text->at != '\n' && is_space(*text->at))
        text->at++;
    return text->at > start;
}

static bool skip_digits(struct cursor *text)
{
    const uint8_t *start = text->at;
    while (text->at < text->end && *text->at >= '0' && *text->at <= '9')
        text->at++;
    return text->at > start;
}

static bool skip_word(struct cursor *text, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(text->end - text->at) < size || memcmp(text->at, word, size) != 0)
        return false;
    text->at += size;
    return true;
}

/* Skips the text up to and including the next `byte`. Returns false if a NUL or the end of the text
 * precedes it. */
static bool skip_past(struct cursor *text, uint8_t byte)
{
    while (text->at < text->end && *text->at && *text->at != byte)
        text->at++;
    if (text->at == text->end || !*text->at)
        return false;
    text->at++;
    return true;
}

static bool skip_block_comment(struct cursor *text)
{
    while (skip_past(text, '*'))
        if (skip_word(text, "/"))
            return true;
    return false;
}

/* Skips a line marker after its "#". Line markers are # 12 "file" 1 3 or #line 12 "file". */
static bool skip_line_marker(struct cursor *text)
{
    skip_blanks(text);
    if (skip_word(text, "line") && !skip_blanks(text))
        return false;
    if (!skip_digits(text) || !skip_blanks(text) || !skip_word(text, "\"") || !skip_past(text, '"'))
        return false;
    while (skip_blanks(text) && skip_digits(text))
        ;
    return skip_word(text, "\n");
}

/* Skips spaces, comments and line markers. Returns false if a comment has no end, or if a line
 * marker is malformed. */
static bool skip_head(struct cursor *text)
{
    for (bool is_good = true; is_good;) {
        if (skip_spaces(text))
            continue;
        if (skip_word(text, "//"))
            is_good = skip_past(text, '\n');
        else if (skip_word(text, "/*"))
            is_good = skip_block_comment(text);
        else if (skip_word(text, "#"))
            is_good = skip_line_marker(text);
        else
            return true;
    }
    return false;
}

/* Skips the text up to the end of the version number. Returns false if the text is not PTX, or if
 * it ends before the version number. */
static bool skip_to_version(struct cursor *text)
{
    return skip_head(text) && skip_word(text, ".version") && skip_spaces(text) &&
           skip_digits(text) && skip_word(text, ".") && skip_digits(text);
}

bool is_ptx(struct bytes file)
{
    if (!file.size) /* file.data may be NULL, and adding to NULL is undefined behaviour */
        return false;
    struct cursor text = {file.data, file.data + file.size};
    return skip_to_version(&text);
}

bool begins_with_version(struct bytes file)
{
    if (!file.size)
        return false;
    struct cursor text = {file.data, file.data + file.size};
    return skip_head(&text) && skip_word(&text, ".version");
}

bool may_be_ptx(struct bytes start)
{
    enum { LONGEST_WORD = sizeof ".version" };
    if (!start.size)
        return true;
    struct cursor text = {start.data, start.data + start.size};
    return skip_to_version(&text) || text.end - text.at < LONGEST_WORD;
}
