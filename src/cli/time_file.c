/* The table of --time; see time_file.h. The headings, the columns and their order are those of
 * nvlink 13.0.88. As in nvlink's table, each text that is compiled has a row, and inputs that are
 * only linked have none.
 *
 * The times are CPU times of the compiler, because several compilers run at once. */
#include "cli/time_file.h"

#include <string.h>

#include "base/stream.h"
#include "base/terminal_text.h"

static const char HEADINGS[] = "source file name , phase name , phase input files , phase output "
                               "file , arch , tool, metric , unit\n";

static bool is_empty(FILE *stream)
{
    return fseek(stream, 0, SEEK_END) != 0 || ftell(stream) <= 0;
}

bool time_file_open(struct time_file *file, const char *path, const char *tool)
{
    file->tool = tool;
    file->stream = strcmp(path, "-") != 0 ? fopen(path, "a") : stdout;
    if (!file->stream)
        return false;
    if (file->stream == stdout || is_empty(file->stream))
        fputs(HEADINGS, file->stream);
    return true;
}

void time_file_add_optimiser(struct time_file *file, const char *architecture, double milliseconds)
{
    if (file->stream)
        fprintf(file->stream, "lto.nvvm , cicc ,  , lto.ptx , %s , %s , %.4f , ms\n", architecture,
                file->tool, milliseconds);
}

/* Writes a name with escapes, because a line break in it would look like another row. */
static void write_name(FILE *stream, const char *name)
{
    for (size_t size; *name; name += size) {
        char shown[TERMINAL_LONGEST_SHOWN];
        size_t shown_size = terminal_text_show_character(shown, name, &size);
        fwrite(shown, 1, shown_size, stream);
    }
}

/* Adds a row for compiled PTX. PTX from LTO-IR has names such as "lto.ptx" in its row. PTX in an
 * object has no file name, so its row has "ptx" as the source file and "cubin" as the output
 * file. */
void time_file_add(struct time_file *file, const struct warpld_compile_request *request,
                   double milliseconds)
{
    FILE *stream = file->stream;
    if (!stream)
        return;
    if (request->is_optimised) {
        fputs("lto.ptx , ptxas ,  , lto.cubin", stream);
    } else {
        write_name(stream, request->is_input ? request->name : "ptx");
        fputs(" , ptxas , ", stream);
        write_name(stream, request->name);
        fputs(request->is_input ? " , " : " , cubin", stream);
    }
    fprintf(stream, " , %s , %s , %.4f , ms\n", request->architecture, file->tool, milliseconds);
}

bool time_file_close(struct time_file *file)
{
    FILE *stream = file->stream;
    file->stream = NULL;
    return !stream || stream == stdout || stream_close(stream);
}
