/* Messages of the command; see messages.h. */
#include "cli/messages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/own_descriptor.h"
#include "base/terminal_text.h"
#include "cli/compiler_text.h"
#include "cli/options/options.h"
#include "cli/report/colours.h"
#include "cli/report/json_line.h"
#include "cli/report/message.h"
#include "cli/shown_text.h"
#include "cli/whole_line.h"
#include "readable_name/readable_name.h"
#include "readable_name/readable_text.h"

static const struct severity_look {
    const char *word;
    const char *colour; /* an escape sequence for terminals */
} LOOKS[] = {
    [WARPLD_NOTE] = {"note", "\033[36m"},         [WARPLD_INFO] = {"info", "\033[34m"},
    [WARPLD_WARNING] = {"warning", "\033[1;35m"}, [WARPLD_ERROR] = {"error", "\033[1;31m"},
    [WARPLD_FATAL] = {"fatal", "\033[1;31m"},
};

static const char PLAIN[] = "\033[0m";

/* --------------------------------------------------------------------------------------------- */
/* Text                                                                                          */

static void write_line(struct messages *messages, struct whole_line *line)
{
    if (messages->at_once) {
        whole_line_write(line);
        return;
    }
    if (!messages->block) {
        messages->block = ARENA_NEW(messages->arena, struct line_block);
        messages->block->descriptor = messages->descriptor;
    }
    line_block_add(messages->block, line);
}

static void end_message(struct messages *messages, struct whole_line *line)
{
    if (messages->architecture) {
        whole_line_add(line, " (target: ");
        whole_line_add(line, messages->architecture);
        whole_line_add(line, ")");
    }
    write_line(messages, line);
}

/* Returns whether messages are coloured. This is decided at the first message, because most links
 * print none. */
static bool has_colours(struct messages *messages)
{
    if (!messages->has_looked_for_colours) {
        bool file = messages->descriptor != STDERR_FILENO;
        messages->coloured = messages->at_once
                                 ? colours_fit_terminal(messages->descriptor)
                                 : colours_wanted(messages->colouring, file, messages->descriptor);
    }
    messages->has_looked_for_colours = true;
    return messages->coloured;
}

/* Prints a message as a line of text. Its severity is padded to eight columns. */
static void print_text(struct messages *messages, enum warpld_severity severity, const char *text,
                       const char *rest)
{
    static const char COLUMNS[] = "        ";
    const struct severity_look *look = &LOOKS[severity];
    struct whole_line line = {.count = 0};
    bool coloured = has_colours(messages);
    whole_line_add(&line, messages->tool);
    whole_line_add(&line, " ");
    whole_line_add(&line, coloured ? look->colour : "");
    whole_line_add(&line, look->word);
    whole_line_add(&line, coloured ? PLAIN : "");
    whole_line_add(&line, COLUMNS + strlen(look->word));
    whole_line_add(&line, ": ");
    whole_line_add(&line, text);
    whole_line_add(&line, rest);
    end_message(messages, &line);
}

static void print_pending_text(struct messages *messages, const struct message *message)
{
    struct arena *arena = &messages->pending.arena;
    const char *more = message->folded
                           ? arena_format(arena, " (and %u more input%s)", message->folded,
                                          message->folded > 1 ? "s" : "")
                           : "";
    print_text(messages, message->severity, message->text, more);
    for (uint32_t i = 0; i < message->notes_count; i++)
        print_text(messages, WARPLD_NOTE, message->notes[i].text, "");
}

/* --------------------------------------------------------------------------------------------- */
/* The pending message                                                                           */

static void out_of_memory(void *owner)
{
    struct messages *messages = owner;
    arena_give_up(messages->arena);
}

static void print_json(struct messages *messages, const struct message *message)
{
    char *text = json_line_of(&messages->pending.arena, message);
    struct whole_line line = {.count = 0};
    whole_line_add(&line, text);
    write_line(messages, &line);
    free(text);
}

static void write_part(struct messages *messages, struct sarif_part part)
{
    struct whole_line line = {.count = 0};
    whole_line_add(&line, part.before);
    whole_line_add(&line, part.text);
    whole_line_add(&line, part.after);
    write_line(messages, &line);
    free(part.text);
}

static void show_pending(struct messages *messages)
{
    struct pending_message *pending = &messages->pending;
    if (!pending->is_used)
        return;
    switch (messages->format) {
    case MESSAGES_AS_TEXT:
        print_pending_text(messages, &pending->message);
        break;
    case MESSAGES_AS_JSON:
        print_json(messages, &pending->message);
        break;
    case MESSAGES_AS_SARIF:
        write_part(messages, sarif_log_add(&messages->log, &pending->arena, &pending->message));
        break;
    }
    pending_message_clear(pending);
}

/* Whether later warnings of the same kind can be folded into this message, as one line. */
static bool can_fold(const struct messages *messages, const struct message *message)
{
    return messages->error_limit && message->severity == WARPLD_WARNING && message->input &&
           !message->symbol;
}

/* Prints or stores a message. In text, a message is printed immediately, unless later warnings can
 * be folded into it. In JSON and SARIF, a message is stored until its notes are known. */
static void take_message(struct messages *messages, const struct message *message)
{
    bool is_text = messages->format == MESSAGES_AS_TEXT;
    if (is_text && can_fold(messages, message) && pending_message_fold(&messages->pending, message))
        return;
    show_pending(messages);
    if (is_text && !can_fold(messages, message))
        print_text(messages, message->severity, message->text, "");
    else
        pending_message_start(&messages->pending, message, out_of_memory, messages);
}

static void take_note(struct messages *messages, const struct message *note)
{
    if (messages->pending.is_used)
        pending_message_add_note(&messages->pending, note);
    else
        take_message(messages, note);
}

static struct message own_message(const struct messages *messages, enum warpld_severity severity,
                                  const char *code, const char *text)
{
    return (struct message){
        .severity = severity, .code = code, .text = text, .target = messages->target};
}

void messages_print(struct messages *messages, enum warpld_severity severity, const char *code,
                    const char *text)
{
    struct message message = own_message(messages, severity, code, text);
    take_message(messages, &message);
}

void messages_print_note(struct messages *messages, const char *code, const char *text)
{
    struct message note = own_message(messages, WARPLD_NOTE, code, text);
    if (!messages->no_notes)
        take_note(messages, &note);
}

/* --------------------------------------------------------------------------------------------- */
/* Messages of ptxas and of the optimiser                                                        */

static void pass_on_message(struct messages *messages, const char *code, const char *text,
                            size_t size)
{
    if (messages->format == MESSAGES_AS_TEXT) {
        struct whole_line line = {.count = 0};
        whole_line_add_bytes(&line, text, size);
        end_message(messages, &line);
        return;
    }
    const char *copy = arena_copy_string(messages->arena, text, size);
    messages_print(messages, compiler_text_severity(copy), code, copy);
}

/* Prints the messages that a compiler has printed, one by one. */
static void pass_on(struct messages *messages, const char *code, const char *text)
{
    show_pending(messages);
    for (const char *end = text + strlen(text); text < end;) {
        const char *next = compiler_text_message_end(text, end);
        pass_on_message(messages, code, text, (size_t)(next - text));
        text = next < end ? next + 1 : end;
    }
}

/* nvlink prints this message even with -disable-infos. */
void messages_print_threads(struct messages *messages, const char *text)
{
    if (messages->is_of_nvlink || !messages->no_infos)
        messages_print(messages, WARPLD_INFO, "threads-ignored", text);
}

/* Prints a message, according to its kind. Messages of the optimiser are written without delay,
 * because the compiler runs next and may take long. */
void messages_take_ptx(struct messages *messages, enum ptx_message_kind kind, const char *text,
                       size_t size)
{
    bool has_lines = kind == PTX_MESSAGE_COMPILER || kind == PTX_MESSAGE_OPTIMISER;
    const char *copy = arena_copy_string(messages->arena, text, size);
    text = terminal_text_show_printed(messages->arena, copy, size, has_lines);
    switch (kind) {
    case PTX_MESSAGE_ERROR:
        messages_print(messages, WARPLD_ERROR, "ptxas-failed", text);
        break;
    case PTX_MESSAGE_WARNING:
        if (!messages->no_warnings)
            messages_print(messages, WARPLD_WARNING, "ptxas-option", text);
        break;
    case PTX_MESSAGE_CACHE:
        if (!messages->no_warnings)
            messages_print(messages, WARPLD_WARNING, "cache-unusable", text);
        break;
    case PTX_MESSAGE_THREADS:
        messages_print_threads(messages, text);
        break;
    case PTX_MESSAGE_COMPILER:
        pass_on(messages, "ptxas", text);
        break;
    case PTX_MESSAGE_OPTIMISER:
        pass_on(messages, "optimiser", text);
        messages_flush(messages);
        break;
    case PTX_MESSAGE_OPTIMISER_FAILED:
        messages_print(messages, WARPLD_ERROR, "optimiser-failed", text);
        break;
    }
}

/* --------------------------------------------------------------------------------------------- */
/* Messages of the library                                                                       */

/* Whether the diagnostic is a message by itself, and not a note that explains the message before
 * it. */
static bool stands_alone(const struct warpld_diagnostic *diagnostic)
{
    return diagnostic->severity != WARPLD_NOTE || !strcmp(diagnostic->code, "kernels-removed");
}

/* Whether the message is printed in spite of -disable-infos. nvlink 13.0.88 prints all messages
 * with these codes. */
static bool is_always_shown(const struct messages *messages,
                            const struct warpld_diagnostic *diagnostic)
{
    const char *code = diagnostic->code;
    return !strncmp(code, "report-", strlen("report-")) ||
           (messages->is_of_nvlink && !strncmp(code, "lto-", strlen("lto-")));
}

/* Whether options hide a warning. In nvlink 13.0.88, -disable-infos hides "lto-ignored", and -w
 * does not. */
static bool is_hidden_warning(const struct messages *messages,
                              const struct warpld_diagnostic *diagnostic)
{
    bool is_info = messages->is_of_nvlink && !strcmp(diagnostic->code, "lto-ignored");
    return is_info ? messages->no_infos : messages->no_warnings;
}

static bool is_hidden(const struct messages *messages, const struct warpld_diagnostic *diagnostic)
{
    switch (diagnostic->severity) {
    case WARPLD_NOTE:
        return messages->no_notes || (messages->follows_hidden && !stands_alone(diagnostic));
    case WARPLD_INFO:
        return messages->no_infos && !is_always_shown(messages, diagnostic);
    case WARPLD_WARNING:
        return is_hidden_warning(messages, diagnostic);
    default:
        return false;
    }
}

/* Counts errors. Returns true for an error beyond the limit of --error-limit, which is not
 * printed. */
static bool is_past_limit(struct messages *messages, enum warpld_severity severity)
{
    if (severity != WARPLD_ERROR || !messages->error_limit ||
        messages->errors++ < messages->error_limit)
        return false;
    messages->errors_hidden++;
    return true;
}

static bool is_about_input(const char *code)
{
    return !strcmp(code, "no-image") || !strcmp(code, "library-incompatible");
}

/* Whether the diagnostic is a note with the readable form of a name, and messages already show
 * names in this form. */
static bool is_needless(const struct messages *messages, const struct warpld_diagnostic *diagnostic)
{
    return messages->names_form == NAMES_READABLE && !strcmp(diagnostic->code, "readable-name") &&
           readable_text_replaces(diagnostic->symbol);
}

static struct message message_of(const struct messages *messages,
                                 const struct warpld_diagnostic *diagnostic)
{
    bool for_programs = messages->format != MESSAGES_AS_TEXT;
    const char *symbol = diagnostic->symbol;
    return (struct message){
        .severity = diagnostic->severity,
        .code = diagnostic->code,
        .text = shown_text(messages->names, messages->names_form, diagnostic),
        .input = diagnostic->input,
        .symbol = symbol,
        .readable = for_programs && symbol ? readable_message_name(messages->names, symbol) : NULL,
        .section = diagnostic->section,
        .target = messages->target,
    };
}

/* Whether the note was printed before and is not printed again. All notes are printed if the
 * command behaves as nvlink, and in JSON and SARIF. */
static bool is_repeated(struct messages *messages, const struct message *note)
{
    return messages->format == MESSAGES_AS_TEXT && messages->names_form != NAMES_AS_NVLINK &&
           said_notes_repeats(&messages->said, messages->arena, note->code, note->text);
}

static void start_notes(struct messages *messages, const char *code, bool are_hidden)
{
    messages->follows_hidden = are_hidden;
    said_notes_start(&messages->said, code);
}

void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic)
{
    struct messages *messages = context;
    bool is_note = !stands_alone(diagnostic);
    bool hidden = is_hidden(messages, diagnostic) || is_past_limit(messages, diagnostic->severity);
    if (diagnostic->severity == WARPLD_ERROR && is_about_input(diagnostic->code))
        messages->inputs_failed = true;
    if (!is_note)
        start_notes(messages, diagnostic->code, hidden);
    if (hidden || is_needless(messages, diagnostic))
        return;
    struct message message = message_of(messages, diagnostic);
    if (is_note && is_repeated(messages, &message))
        return;
    if (is_note)
        take_note(messages, &message);
    else
        take_message(messages, &message);
}

/* --------------------------------------------------------------------------------------------- */
/* The form, and the end                                                                         */

static enum message_format format_of(const struct command_line *line)
{
    const char *format = command_line_text(line, OPTION_DIAGNOSTICS_FORMAT);
    if (!format || !strcmp(format, "text"))
        return MESSAGES_AS_TEXT;
    return !strcmp(format, "json") ? MESSAGES_AS_JSON : MESSAGES_AS_SARIF;
}

static bool open_path(struct messages *messages, const char *path)
{
    int own = path ? own_descriptor(path) : -1;
    int descriptor = !path     ? STDERR_FILENO
                     : own < 0 ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)
                               : fcntl(own, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0)
        return false;
    messages->path = path;
    messages->descriptor = descriptor;
    return true;
}

void messages_use_text(struct messages *messages)
{
    if (messages->block)
        line_block_write(messages->block);
    messages->format = MESSAGES_AS_TEXT;
    messages->at_once = true;
    messages->error_limit = 0;
    messages->descriptor = STDERR_FILENO;
    messages->pending.is_used = false;
}

bool messages_choose_form(struct messages *messages, const struct command_line *line,
                          bool as_nvlink)
{
    enum { ERROR_LIMIT = 20 };
    const char *path = command_line_text(line, OPTION_DIAGNOSTICS_FILE);
    long limit = line->options[OPTION_ERROR_LIMIT].number;
    bool has_limit = command_line_given(line, OPTION_ERROR_LIMIT);
    messages->format = format_of(line);
    messages->target = command_line_text(line, OPTION_ARCHITECTURE);
    messages->colouring = command_line_text(line, OPTION_COLOR);
    bool keeps_mangled = command_line_given(line, OPTION_NO_DEMANGLE);
    messages->names_form = as_nvlink       ? NAMES_AS_NVLINK
                           : keeps_mangled ? NAMES_MANGLED
                                           : NAMES_READABLE;
    messages->error_limit =
        has_limit ? (size_t)(limit > 0 ? limit : 0)
                  : (size_t)(as_nvlink || messages->format != MESSAGES_AS_TEXT ? 0 : ERROR_LIMIT);
    messages->at_once = as_nvlink && messages->format == MESSAGES_AS_TEXT && !path && !has_limit &&
                        !messages->colouring;
    return open_path(messages, path);
}

void messages_flush(struct messages *messages)
{
    show_pending(messages);
    if (messages->block)
        line_block_write(messages->block);
}

static void report_hidden_errors(struct messages *messages)
{
    size_t count = messages->errors_hidden;
    if (count)
        messages_print(messages, WARPLD_NOTE, "errors-not-shown",
                       arena_format(messages->arena,
                                    "%zu more error%s not shown; use --error-limit=0 to show all",
                                    count, count > 1 ? "s are" : " is"));
}

static bool close_path(struct messages *messages)
{
    bool failed = messages->block && messages->block->failed;
    if (messages->path)
        failed |= close(messages->descriptor) != 0;
    return !failed || !messages->path;
}

bool messages_finish(struct messages *messages, int exit_status)
{
    report_hidden_errors(messages);
    messages_flush(messages);
    if (messages->format == MESSAGES_AS_SARIF)
        write_part(messages, sarif_log_finish(&messages->log, messages->arena, exit_status));
    messages_flush(messages);
    return close_path(messages);
}
