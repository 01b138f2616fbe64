/* The report as JSON; see json_report.h. Inputs and functions are identified by numbers. A member
 * without a value is omitted. */
#include "report/json_report.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "report/input_numbers.h"
#include "report/json_output.h"
#include "report/piece_feed.h"
#include "report/removed_text.h"
#include "report/report.h"
#include "report/text_output.h"
#include "warpld.h"

struct json_report {
    const struct report *report;
    struct json_output json;
    struct input_numbers inputs;
    /* Whether the list of parts of a section is open, and whether the list of symbols of a part
     * is. */
    bool is_in_section, is_in_part;
};

/* Writes a name as it is in objects and, if that differs, its readable form. */
static void put_names(struct json_report *writer, const char *name)
{
    const char *readable = report_name(writer->report, name);
    json_put_string(&writer->json, "name", name);
    if (readable != name && strcmp(readable, name) != 0)
        json_put_string(&writer->json, "readable", readable);
}

static void put_input_number(struct json_report *writer, const char *key, const char *name)
{
    json_put_index(&writer->json, key, input_number(&writer->inputs, name));
}

/* --------------------------------------------------------------------------------------------- */
/* Sections                                                                                      */

static void close_part(struct json_report *writer)
{
    if (!writer->is_in_part)
        return;
    json_put_close(&writer->json, ']');
    json_put_close(&writer->json, '}');
    writer->is_in_part = false;
}

static void close_section(struct json_report *writer)
{
    close_part(writer);
    if (!writer->is_in_section)
        return;
    json_put_close(&writer->json, ']');
    json_put_close(&writer->json, '}');
    writer->is_in_section = false;
}

static const char *word_of_piece(enum warpld_piece_kind kind)
{
    static const char *const WORDS[] = {
        [WARPLD_PIECE_FILE_HEADER] = "file-header",
        [WARPLD_PIECE_SECTION] = "section",
        [WARPLD_PIECE_PADDING] = "padding",
        [WARPLD_PIECE_SECTION_HEADERS] = "section-headers",
        [WARPLD_PIECE_PROGRAM_HEADERS] = "program-headers",
        [WARPLD_PIECE_INPUT] = "input",
        [WARPLD_PIECE_GENERATED] = "linker",
        [WARPLD_PIECE_GAP] = "padding",
        [WARPLD_PIECE_SYMBOL] = "symbol",
    };
    return WORDS[kind];
}

/* Writes a section, or another piece of the file such as the section headers. Opens the list of
 * parts if the piece has parts. */
static void put_whole(struct json_report *writer, const struct warpld_piece *piece)
{
    struct json_output *json = &writer->json;
    close_section(writer);
    json_put_open(json, NULL, '{');
    json_put_string(json, "kind", word_of_piece(piece->kind));
    json_put_optional(json, "name", piece->section);
    if (piece->space)
        json_put_string(json, "space", report_space_name(piece->space));
    if (piece->bank >= 0)
        json_put_number(json, "bank", (uint64_t)piece->bank);
    json_put_index(json, "function", piece->function_number);
    if (!piece->has_parts)
        put_input_number(writer, "input", piece->input);
    json_put_optional(json, "input_section", piece->input_section);
    json_put_number(json, "offset", piece->offset);
    json_put_number(json, "file_bytes", piece->file_bytes);
    if (piece->kind == WARPLD_PIECE_SECTION)
        json_put_number(json, "bytes", piece->bytes);
    if (piece->shares_bytes)
        json_put_flag(json, "shares_bytes", true);
    if (piece->alignment)
        json_put_number(json, "alignment", piece->alignment);
    if (piece->symbol)
        json_put_string(json, "symbol", piece->symbol);
    writer->is_in_section = piece->has_parts;
    if (piece->has_parts)
        json_put_open(json, "parts", '[');
    else
        json_put_close(json, '}');
}

/* Writes a part of a section. Opens a list of symbols if the part comes from an input and is not
 * itself one symbol. */
static void put_part(struct json_report *writer, const struct warpld_piece *piece)
{
    struct json_output *json = &writer->json;
    close_part(writer);
    json_put_open(json, NULL, '{');
    if (piece->kind != WARPLD_PIECE_INPUT)
        json_put_string(json, "kind", word_of_piece(piece->kind));
    else
        put_input_number(writer, "input", piece->input);
    json_put_optional(json, "input_section", piece->input_section);
    json_put_number(json, "address", piece->address);
    json_put_number(json, "bytes", piece->bytes);
    if (piece->alignment)
        json_put_number(json, "alignment", piece->alignment);
    if (piece->symbol) {
        put_names(writer, piece->symbol);
        json_put_index(json, "user", piece->function_number);
    }
    writer->is_in_part = piece->kind == WARPLD_PIECE_INPUT && !piece->symbol;
    if (writer->is_in_part)
        json_put_open(json, "symbols", '[');
    else
        json_put_close(json, '}');
}

/* Writes a symbol into the open list of symbols. If no list is open, the symbol is omitted: then
 * the last part was padding, was made by the linker, or was itself a symbol. */
static void put_symbol_of_part(struct json_report *writer, const struct warpld_piece *piece)
{
    struct json_output *json = &writer->json;
    if (!writer->is_in_part)
        return;
    json_put_open(json, NULL, '{');
    put_names(writer, piece->symbol);
    json_put_number(json, "address", piece->address);
    json_put_number(json, "bytes", piece->bytes);
    json_put_close(json, '}');
}

static void take_json_piece(void *context, const struct warpld_piece *piece)
{
    if (piece->kind == WARPLD_PIECE_SYMBOL)
        put_symbol_of_part(context, piece);
    else if (piece->kind <= WARPLD_PIECE_PROGRAM_HEADERS)
        put_whole(context, piece);
    else
        put_part(context, piece);
}

static bool put_pieces(struct json_report *writer)
{
    json_put_open(&writer->json, "pieces", '[');
    bool is_whole = piece_feed_run(writer->report, take_json_piece, writer);
    close_section(writer);
    json_put_close(&writer->json, ']');
    return is_whole;
}

/* --------------------------------------------------------------------------------------------- */
/* Functions and kernels                                                                         */

static void put_numbers_of(struct json_output *json, const char *key, const uint32_t *numbers,
                           uint32_t first, uint32_t end)
{
    if (first == end)
        return;
    json_put_open(json, key, '[');
    for (uint32_t i = first; i < end; i++)
        json_put_number(json, NULL, numbers[i]);
    json_put_close(json, ']');
}

static void put_function(struct json_report *writer, const struct warpld_function *function)
{
    struct json_output *json = &writer->json;
    put_names(writer, function->name);
    put_input_number(writer, "input", function->input);
    if (function->is_kernel)
        json_put_flag(json, "kernel", true);
    if (!function->is_kept)
        json_put_flag(json, "removed", true);
    if (!function->is_defined)
        json_put_flag(json, "undefined", true);
    if (function->is_address_taken)
        json_put_flag(json, "address_taken", true);
    if (function->is_local)
        json_put_flag(json, "local", true);
    json_put_number(json, "registers", function->registers);
    json_put_number(json, "frame", function->frame_bytes);
    json_put_number(json, "code", function->code_bytes);
}

/* Writes the call graph. Its nodes are the functions, followed by the prototypes of indirect calls.
 * A function that makes an indirect call has an edge to the node of the prototype. This node lists
 * all functions that such a call can reach. */
static bool put_functions(struct json_report *writer)
{
    struct warpld_link *link = writer->report->link;
    struct json_output *json = &writer->json;
    struct warpld_call_graph graph = {.size = sizeof graph};
    struct warpld_function function = {.size = sizeof function};
    if (warpld_get_call_graph(link, &graph) != WARPLD_OK)
        return false;
    json_put_open(json, "functions", '[');
    for (uint32_t i = 0; i < graph.functions_count; i++) {
        if (warpld_get_function(link, i, &function) != WARPLD_OK)
            return false;
        json_put_open(json, NULL, '{');
        put_function(writer, &function);
        put_numbers_of(json, "calls", graph.callees, graph.callees_start[i],
                       graph.callees_start[i + 1]);
        json_put_close(json, '}');
    }
    json_put_close(json, ']');
    json_put_open(json, "prototypes", '[');
    for (uint32_t node = graph.functions_count; node < graph.nodes_count; node++) {
        json_put_open(json, NULL, '[');
        for (uint32_t i = graph.callees_start[node]; i < graph.callees_start[node + 1]; i++)
            json_put_number(json, NULL, graph.callees[i]);
        json_put_close(json, ']');
    }
    json_put_close(json, ']');
    return true;
}

static void put_kernel(struct json_output *json, const struct warpld_kernel *kernel)
{
    json_put_open(json, NULL, '{');
    json_put_number(json, "function", kernel->function_number);
    json_put_number(json, "registers", kernel->registers);
    json_put_number(json, "own_registers", kernel->own_registers);
    json_put_index(json, "registers_by", kernel->registers_by_number);
    json_put_number(json, "stack", kernel->stack_bytes);
    json_put_flag(json, "stack_known", kernel->is_stack_known);
    json_put_number(json, "shared", kernel->shared_bytes);
    json_put_number(json, "constant", kernel->constant_bytes);
    json_put_number(json, "local", kernel->local_bytes);
    json_put_number(json, "parameters", kernel->parameter_bytes);
    json_put_number(json, "barriers", kernel->barriers);
    json_put_close(json, '}');
}

static bool put_kernels(struct json_report *writer)
{
    struct warpld_kernel kernel = {.size = sizeof kernel};
    enum warpld_status status;
    json_put_open(&writer->json, "kernels", '[');
    for (size_t i = 0; (status = warpld_get_kernel(writer->report->link, i, &kernel)) == WARPLD_OK;
         i++)
        put_kernel(&writer->json, &kernel);
    json_put_close(&writer->json, ']');
    return status == WARPLD_END;
}

/* --------------------------------------------------------------------------------------------- */
/* The rest                                                                                      */

static bool put_removed(struct json_report *writer)
{
    struct json_output *json = &writer->json;
    struct warpld_removed removed = {.size = sizeof removed};
    enum warpld_status status;
    json_put_open(json, "removed", '[');
    for (size_t i = 0;
         (status = warpld_get_removed(writer->report->link, i, &removed)) == WARPLD_OK; i++) {
        json_put_open(json, NULL, '{');
        json_put_string(json, "kind", removed.name ? report_kind_name(removed.kind) : "input");
        if (removed.name)
            put_names(writer, removed.name);
        put_input_number(writer, "input", removed.input);
        put_input_number(writer, "used", removed.used);
        json_put_string(json, "reason", removal_name(removed.reason));
        json_put_number(json, "bytes", removed.bytes);
        json_put_close(json, '}');
    }
    json_put_close(json, ']');
    return status == WARPLD_END;
}

/* Writes all symbols except those of functions, which put_functions writes. */
static bool put_variables(struct json_report *writer)
{
    struct json_output *json = &writer->json;
    struct warpld_symbol symbol = {.size = sizeof symbol};
    enum warpld_status status;
    json_put_open(json, "variables", '[');
    for (size_t i = 0; (status = warpld_get_symbol(writer->report->link, i, &symbol)) == WARPLD_OK;
         i++) {
        if (symbol.kind == WARPLD_SYMBOL_KERNEL || symbol.kind == WARPLD_SYMBOL_FUNCTION)
            continue;
        json_put_open(json, NULL, '{');
        json_put_string(json, "kind", report_kind_name(symbol.kind));
        put_names(writer, symbol.name);
        json_put_optional(json, "section", symbol.section);
        put_input_number(writer, "input", symbol.input);
        json_put_number(json, "address", symbol.address);
        json_put_number(json, "bytes", symbol.bytes);
        json_put_close(json, '}');
    }
    json_put_close(json, ']');
    return status == WARPLD_END;
}

static void put_messages(struct json_report *writer)
{
    static const char *const SEVERITIES[] = {
        [WARPLD_NOTE] = "note",   [WARPLD_INFO] = "info",   [WARPLD_WARNING] = "warning",
        [WARPLD_ERROR] = "error", [WARPLD_FATAL] = "fatal",
    };
    struct json_output *json = &writer->json;
    json_put_open(json, "messages", '[');
    for (size_t i = 0; i < writer->report->messages_count; i++) {
        const struct report_message *message = &writer->report->messages[i];
        json_put_open(json, NULL, '{');
        json_put_string(json, "severity", SEVERITIES[message->severity]);
        json_put_string(json, "code", message->code);
        json_put_string(json, "text", message->text);
        json_put_optional(json, "input", message->input);
        json_put_optional(json, "symbol", message->symbol);
        json_put_close(json, '}');
    }
    json_put_close(json, ']');
}

static void put_inputs(struct json_report *writer)
{
    json_put_open(&writer->json, "inputs", '[');
    for (size_t i = 0; i < writer->inputs.names_count; i++)
        json_put_string(&writer->json, NULL, writer->inputs.names[i]);
    json_put_close(&writer->json, ']');
}

static void number_linked_objects(struct json_report *writer)
{
    struct warpld_linked_object object = {.size = sizeof object};
    for (size_t i = 0; warpld_get_linked_object(writer->report->link, i, &object) == WARPLD_OK; i++)
        input_number(&writer->inputs, object.name);
}

static void put_json_head(struct json_report *writer)
{
    const struct report *report = writer->report;
    struct json_output *json = &writer->json;
    struct warpld_statistics counts = {.size = sizeof counts};
    warpld_get_statistics(report->link, &counts);
    json_put_string(json, "format", "warpld-report");
    json_put_number(json, "version", 1);
    json_put_string(json, "linker", warpld_version());
    json_put_string(json, "target", report->target);
    json_put_string(json, "output", report->output);
    json_put_number(json, "bytes", counts.output_bytes);
    json_put_number(json, "input_bytes", counts.input_bytes);
    json_put_number(json, "relocations", counts.relocations);
    json_put_number(json, "symbols", counts.output_symbols);
}

bool json_report_write(const struct report *report, struct text_output *output)
{
    struct json_report writer = {.report = report,
                                 .json = {.text = output, .arena = report->arena}};
    input_numbers_init(&writer.inputs, report->arena);
    number_linked_objects(&writer);
    json_put_open(&writer.json, NULL, '{');
    put_json_head(&writer);
    bool is_whole = put_functions(&writer) && put_kernels(&writer) && put_pieces(&writer) &&
                    put_variables(&writer) && put_removed(&writer);
    put_messages(&writer);
    put_inputs(&writer);
    json_put_close(&writer.json, '}');
    text_put_char(output, '\n');
    return is_whole;
}
