/* Messages, as text in nvlink's form ("nvlink error : text"), in JSON or as a SARIF log.
 *
 * A command that behaves as nvlink prints each message at once, as nvlink does. Otherwise, names
 * have their readable form, and a note that applies to many symbols is printed once. Warnings of
 * the same kind about several inputs become one line. The number of errors is limited, and lines
 * are written in blocks. */
#ifndef WARPLD_CLI_MESSAGES_H
#define WARPLD_CLI_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/report/pending_message.h"
#include "cli/report/said_notes.h"
#include "cli/report/sarif.h"
#include "cli/shown_text.h"
#include "compile/ptx_compiler.h"
#include "warpld.h"

struct arena;
struct command_line;
struct line_block;
struct message;
struct readable_names;

enum message_format { MESSAGES_AS_TEXT, MESSAGES_AS_JSON, MESSAGES_AS_SARIF };

struct messages {
    struct arena *arena; /* memory for formatted texts */
    struct readable_names *names;
    const char *tool;         /* the start of every line */
    const char *architecture; /* the target with which every line of text ends; NULL: none */
    const char *target;       /* the target that messages in JSON and SARIF name; NULL: none */
    bool no_notes, no_infos, no_warnings;
    bool is_of_nvlink;   /* the command behaves as nvlink */
    bool follows_hidden; /* the last message was not printed, so its notes are not printed either */
    bool inputs_failed;  /* a warning about an input was reported as an error */
    bool has_looked_for_colours;
    bool coloured; /* the severity is coloured, for a terminal */
    bool at_once;  /* each line is written by a separate call, not in a block */
    enum name_form names_form;
    enum message_format format;
    int descriptor;        /* the file to which messages are written */
    const char *path;      /* the file of --diagnostics-file; NULL: none */
    const char *colouring; /* the value of --color; NULL: not given */
    size_t error_limit;    /* how many errors are printed; 0: all */
    size_t errors, errors_hidden;
    struct pending_message pending;
    struct said_notes said;
    struct line_block *block; /* NULL until the first line */
    struct sarif_log log;
};

/* Switches to text on standard error: each message is one line, which is written at once. Drops the
 * pending message, if there is one. Call this function before the options are known, and when the
 * chosen form is not possible, such as after memory has run out. */
void messages_use_text(struct messages *messages);

/* Applies the options about the form of messages. Returns false if the file of --diagnostics-file
 * cannot be opened. */
bool messages_choose_form(struct messages *messages, const struct command_line *line,
                          bool as_nvlink);

/* Reports a message of the command itself. */
void messages_print(struct messages *messages, enum warpld_severity severity, const char *code,
                    const char *text);

/* Reports a note of the command that explains the message before it. */
void messages_print_note(struct messages *messages, const char *code, const char *text);

/* Reports that an option for the number of threads is ignored. -disable-infos hides this message
 * unless the command behaves as nvlink. */
void messages_print_threads(struct messages *messages, const char *text);

/* Prints a message about compiling or optimising, or a text that a compiler has printed. */
void messages_take_ptx(struct messages *messages, enum ptx_message_kind kind, const char *text,
                       size_t size);

/* Callback for the library. The context is a struct messages. */
void messages_diagnostic(void *context, const struct warpld_diagnostic *diagnostic);

/* Writes all messages that are not written yet. Call it before other text is written to standard
 * error. */
void messages_flush(struct messages *messages);

/* Writes the remaining messages; a SARIF log also records the exit status. Returns false if
 * messages could not be written to the file of --diagnostics-file. */
bool messages_finish(struct messages *messages, int exit_status);

#endif
