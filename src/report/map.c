/* The map of the output; see map.h.
 *
 * The columns are those of lld: numbers in base 16, then the output section, the input and the
 * symbol. Each line fills one or more of the last three columns. A section with only one part
 * shares a line with this part. This shortens the map, which has hundreds of thousands of lines for
 * a large link. */
#include "report/map.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/piece_feed.h"
#include "report/report.h"
#include "report/text_output.h"
#include "warpld.h"

enum { NAME_COLUMNS = 24, NUMBER_COLUMNS = 8, ALIGN_COLUMNS = 5, SPACE_COLUMNS = 9 };

/* --------------------------------------------------------------------------------------------- */
/* The file                                                                                      */

static void put_head(const struct report *report, struct text_output *output)
{
    text_put(output, "# Map of ");
    text_put_name(output, report->output);
    text_put(output, " (");
    text_put(output, report->target);
    text_put(output, "). Numbers are hexadecimal, Address is the offset in the memory of Space.\n"
                     "#Address   Offset     Size Align Space    Out                      "
                     "In                       Symbol\n");
}

static void put_padded_name(struct text_output *output, const char *name)
{
    size_t size = text_put_name(output, name);
    text_put_spaces(output, size < NAME_COLUMNS ? NAME_COLUMNS - size + 1 : 1);
}

/* Writes a number in base 16, right-aligned in `columns` columns, and a blank. A number that does
 * not fit takes more columns. Returns the position after the blank. Requires: the columns are
 * blank. */
static char *write_hex(char *text, uint64_t number, unsigned columns)
{
    unsigned digits = number ? (67 - (unsigned)__builtin_clzll(number)) / 4 : 1;
    char *end = text + (digits > columns ? digits : columns), *digit = end;
    do
        *--digit = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *end = ' ';
    return end + 1;
}

/* Writes the number if it is known, else a dash. */
static char *write_known(char *text, bool is_known, uint64_t number, unsigned columns)
{
    if (is_known)
        return write_hex(text, number, columns);
    text[columns - 1] = '-';
    return text + columns + 1;
}

/* Writes the bank, such as "c[3]", or the name of the space if the piece is in no bank. */
static char *write_space(char *text, const struct warpld_piece *piece)
{
    memset(text, ' ', SPACE_COLUMNS);
    if (piece->bank >= 0 && piece->bank < 10) {
        text[0] = 'c';
        text[1] = '[';
        text[2] = (char)('0' + piece->bank);
        text[3] = ']';
    } else if (piece->bank >= 0) {
        int size = sprintf(text, "c[%d]", piece->bank);
        text[size] = ' ';
    } else {
        const char *name = piece->space ? report_space_name(piece->space) : "-";
        memcpy(text, name, strnlen(name, SPACE_COLUMNS));
    }
    return text + SPACE_COLUMNS;
}

static void put_numbers(struct text_output *output, const struct warpld_piece *piece)
{
    enum { MOST_COLUMNS = 128 };
    char *text = text_reserve(output, MOST_COLUMNS);
    bool is_in_file = piece->file_bytes || piece->shares_bytes || !piece->bytes;
    memset(text, ' ', MOST_COLUMNS);
    text = write_known(text, piece->space, piece->address, NUMBER_COLUMNS);
    text = write_known(text, is_in_file, piece->offset, NUMBER_COLUMNS);
    text = write_hex(text, piece->bytes ? piece->bytes : piece->file_bytes, NUMBER_COLUMNS);
    text = write_known(text, piece->alignment, piece->alignment, ALIGN_COLUMNS);
    text_advance(output, write_space(text, piece));
}

static const char *name_of_table(enum warpld_piece_kind kind)
{
    switch (kind) {
    case WARPLD_PIECE_FILE_HEADER:
        return "<file header>";
    case WARPLD_PIECE_SECTION_HEADERS:
        return "<section headers>";
    case WARPLD_PIECE_PROGRAM_HEADERS:
        return "<program headers>";
    default:
        return "<padding>";
    }
}

/* The input of the last line. Many lines in a row have the same input, so its name is checked for
 * control characters only once. */
struct last_input {
    const char *name;
    size_t size;
    bool is_plain;
};

static size_t put_input_name(struct text_output *output, struct last_input *last, const char *name)
{
    if (name != last->name)
        *last = (struct last_input){name, strlen(name), text_name_is_plain(name)};
    if (!last->is_plain)
        return text_put_name(output, name);
    text_put_bytes(output, name, last->size);
    return last->size;
}

/* Writes the input and its section, such as "a.o:(.text.f)". input_section is NULL, and only the
 * input is written, if the section has the same name as the output section. */
static void put_input(struct text_output *output, struct last_input *last,
                      const struct warpld_piece *piece)
{
    size_t size = put_input_name(output, last, piece->input ? piece->input : "<linker>");
    if (piece->input_section) {
        text_put(output, ":(");
        size += text_put_name(output, piece->input_section) + 3;
        text_put_char(output, ')');
    }
    if (piece->symbol)
        text_put_spaces(output, size < NAME_COLUMNS ? NAME_COLUMNS - size + 1 : 1);
}

static void put_symbol(const struct report *report, struct text_output *output, const char *symbol)
{
    if (symbol)
        text_put_name(output, report_name(report, symbol));
}

static void put_piece(const struct report *report, struct text_output *output,
                      struct last_input *last, const struct warpld_piece *piece)
{
    put_numbers(output, piece);
    switch (piece->kind) {
    case WARPLD_PIECE_SECTION:
        put_padded_name(output, piece->section);
        if (!piece->has_parts)
            put_input(output, last, piece);
        put_symbol(report, output, piece->symbol);
        break;
    case WARPLD_PIECE_INPUT:
    case WARPLD_PIECE_GENERATED:
        text_put_spaces(output, NAME_COLUMNS + 1);
        put_input(output, last, piece);
        put_symbol(report, output, piece->symbol);
        break;
    case WARPLD_PIECE_GAP:
        text_put_spaces(output, NAME_COLUMNS + 1);
        text_put(output, "<padding>");
        break;
    case WARPLD_PIECE_SYMBOL:
        text_put_spaces(output, (size_t)2 * (NAME_COLUMNS + 1));
        put_symbol(report, output, piece->symbol);
        break;
    default:
        text_put(output, name_of_table(piece->kind));
    }
    text_put_char(output, '\n');
}

/* --------------------------------------------------------------------------------------------- */
/* Memory spaces                                                                                 */

enum { SPACES = WARPLD_SPACE_LOCAL + 1 };

struct space_sizes {
    uint64_t bytes[SPACES];
    uint64_t sections[SPACES];
};

static void count_space(struct space_sizes *sizes, const struct warpld_piece *piece)
{
    if (piece->kind != WARPLD_PIECE_SECTION)
        return;
    sizes->sections[piece->space]++;
    sizes->bytes[piece->space] += piece->space ? piece->bytes : piece->file_bytes;
}

static void put_spaces_of_memory(struct text_output *output, const struct space_sizes *sizes)
{
    text_put(output, "\n# Bytes  Sections  Space (numbers from here on are decimal)\n");
    for (unsigned space = 0; space < SPACES; space++) {
        text_put_number(output, sizes->bytes[space], 10, 7);
        text_put_number(output, sizes->sections[space], 10, 10);
        text_put(output, "  ");
        text_put(output, report_space_name((enum warpld_space)space));
        text_put_char(output, '\n');
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Kernels                                                                                       */

static void put_kernel(const struct report *report, struct text_output *output,
                       const struct warpld_kernel *kernel)
{
    const uint64_t numbers[] = {
        kernel->registers,   kernel->stack_bytes,     kernel->shared_bytes, kernel->constant_bytes,
        kernel->local_bytes, kernel->parameter_bytes, kernel->barriers};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        text_put_number(output, numbers[i], 10, 10);
    text_put(output, kernel->is_stack_known ? "  " : "+ ");
    put_padded_name(output, report_name(report, kernel->name));
    text_put_name(output, kernel->input);
    if (kernel->registers_by) {
        text_put(output, "  registers of ");
        text_put_name(output, report_name(report, kernel->registers_by));
    }
    text_put_char(output, '\n');
}

static enum warpld_status put_kernels(const struct report *report, struct text_output *output)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    enum warpld_status status;
    text_put(output, "\n#Registers     Stack    Shared  Constant     Local Parameter  Barriers  "
                     "Kernel                   In\n");
    for (size_t i = 0; (status = warpld_get_kernel(report->link, i, &kernel)) == WARPLD_OK; i++)
        put_kernel(report, output, &kernel);
    return status;
}

struct map_writer {
    const struct report *report;
    struct text_output *output;
    struct space_sizes sizes;
    struct last_input last_input;
};

static void take_map_piece(void *context, const struct warpld_piece *piece)
{
    struct map_writer *writer = context;
    count_space(&writer->sizes, piece);
    put_piece(writer->report, writer->output, &writer->last_input, piece);
}

bool map_write(const struct report *report, struct text_output *output)
{
    struct map_writer writer = {.report = report, .output = output, .last_input = {.name = NULL}};
    put_head(report, output);
    if (!piece_feed_run(report, take_map_piece, &writer))
        return false;
    put_spaces_of_memory(output, &writer.sizes);
    return put_kernels(report, output) == WARPLD_END;
}
