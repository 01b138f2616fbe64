/* Changes the beginning of PTX, which contains the first directives, and the strings in host
 * objects. */
#include <string.h>

#include "format/elf.h"
#include "format/section_type.h"
#include "mutation.h"

/* ---------------------------------------------------------------------------------------------- */
/* PTX */

/* The size of the beginning of the file, which contains the first directives. */
static size_t head_size(const struct fuzz_input *input)
{
    enum { HEAD = 160 };
    size_t size = input->end - input->start;
    return size < HEAD ? size : HEAD;
}

static void insert_text(struct fuzz_input *input)
{
    static const char *const TEXTS[] = {".version ",
                                        ".target ",
                                        ".address_size ",
                                        "sm_90",
                                        "sm_90a",
                                        "sm_100f",
                                        "sm_",
                                        ", ",
                                        "debug",
                                        "//",
                                        "/*",
                                        "*/",
                                        "\n",
                                        "\t",
                                        "9.0",
                                        ".",
                                        "64",
                                        "32",
                                        "texmode_unified",
                                        "99999",
                                        "-1",
                                        "\"",
                                        "{",
                                        "\\"};
    const char *text = TEXTS[draw(input, sizeof TEXTS / sizeof *TEXTS)];
    size_t offset = input->start + (size_t)draw(input, head_size(input) + 1);
    if (insert_bytes(input, offset, strlen(text)))
        memcpy(input->data + offset, text, strlen(text));
}

static void remove_text(struct fuzz_input *input)
{
    size_t offset = (size_t)draw(input, head_size(input));
    size_t size = 1 + (size_t)draw(input, head_size(input) - offset);
    remove_bytes(input, input->start + offset, size < 16 ? size : 1);
}

static void change_digit(struct fuzz_input *input)
{
    size_t size = head_size(input), first = (size_t)draw(input, size);
    for (size_t i = 0; i < size; i++) {
        uint8_t *byte = input->data + input->start + (first + i) % size;
        if (*byte >= '0' && *byte <= '9') {
            *byte = (uint8_t)('0' + draw(input, 10));
            return;
        }
    }
}

static void change_byte(struct fuzz_input *input)
{
    static const uint8_t BYTES[] = {0, '\n', '\r', ' ', '.', '/', '*', 0x80, 0xff, 0x1b};
    size_t offset = input->start + (size_t)draw(input, head_size(input));
    input->data[offset] = BYTES[draw(input, sizeof BYTES)];
}

void mutate_ptx(struct fuzz_input *input)
{
    static void (*const MUTATIONS[])(struct fuzz_input *) = {insert_text, insert_text, remove_text,
                                                             change_digit, change_byte};
    MUTATIONS[draw(input, sizeof MUTATIONS / sizeof *MUTATIONS)](input);
}

/* ---------------------------------------------------------------------------------------------- */
/* Host objects */

/* The header of a random section; NULL if the table of sections cannot be read. */
static const uint8_t *random_section(struct fuzz_input *input)
{
    struct table sections = section_table(input);
    return sections.count ? entry_at(&sections, draw(input, sections.count)) : NULL;
}

static struct table random_contents(struct fuzz_input *input)
{
    const uint8_t *header = random_section(input);
    if (!header || load_u32(header + SH_TYPE) == SHT_NOBITS)
        return (struct table){NULL, 1, 0};
    return contents_of(input, header, 1);
}

/* Writes a string that host objects contain over random bytes of a section. */
static void overwrite_string(struct fuzz_input *input)
{
    static const char *const WORDS[] = {".nvHRKI",
                                        ".nvHRKE",
                                        ".nvHRDI",
                                        ".nvHRDE",
                                        ".nvHRCI",
                                        ".nvHRCE",
                                        "def ",
                                        "__nv_module_id",
                                        "__nv_relfatbin",
                                        ".nv_fatbin",
                                        "",
                                        "_Z",
                                        "\n",
                                        "\x1b[0m",
                                        "..",
                                        ".nvFatBinSegment"};
    struct table contents = random_contents(input);
    const char *word = WORDS[draw(input, sizeof WORDS / sizeof *WORDS)];
    size_t size = strlen(word) + (size_t)draw(input, 2); /* with its NUL */
    if (contents.count >= size && size)
        memcpy(contents.bytes + draw(input, contents.count - size + 1), word, size);
}

/* Ends a string with a zero within it, or joins it to the next string by replacing the zero between
 * them. */
static void change_string_end(struct fuzz_input *input)
{
    struct table contents = random_contents(input);
    uint64_t first = draw(input, contents.count);
    bool is_end = draw(input, 2);
    for (uint64_t i = first; i < contents.count; i++)
        if (!contents.bytes[i] == is_end) {
            contents.bytes[i] = is_end ? 'x' : 0;
            return;
        }
}

void mutate_host_elf(struct fuzz_input *input)
{
    switch (draw(input, 4)) {
    case 0:
        overwrite_string(input);
        break;
    case 1:
        change_string_end(input);
        break;
    default:
        mutate_elf(input); /* the headers, symbols and relocations of all ELF files have one form */
    }
}
