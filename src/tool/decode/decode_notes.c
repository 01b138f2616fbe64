/* Rows of notes; see decode.h. */
#include "base/arena.h"
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "tool/decode/decode.h"
#include "tool/decode/listing.h"
#include "tool/decode/subject.h"

static const char *vendor(struct arena *arena, const struct note *note)
{
    uint64_t size = note->name.size;
    while (size && !note->name.data[size - 1])
        size--;
    return size ? arena_copy_string(arena, (const char *)note->name.data, size) : "";
}

static void put_tkinfo(const struct note_tkinfo *tkinfo, struct listing *listing)
{
    put_text(listing, "tool", tkinfo->tool_name);
    put_text(listing, "version", tkinfo->tool_version);
    put_text(listing, "build", tkinfo->tool_build);
    put_text(listing, "command_line", tkinfo->command_line);
    put_text(listing, "object_name", tkinfo->object_name);
}

static void put_cuinfo(const struct note *note, const struct note_cuinfo *cuinfo,
                       struct listing *listing)
{
    enum { KNOWN_SIZE = 6 };
    put_number(listing, "version", cuinfo->version);
    put_number(listing, "virtual_sm", cuinfo->virtual_sm);
    put_number(listing, "toolkit", cuinfo->toolkit);
    if (note->content.size > KNOWN_SIZE)
        put_bytes(listing, "rest",
                  (struct bytes){note->content.data + KNOWN_SIZE, note->content.size - KNOWN_SIZE});
}

static void decode_note(const struct note *note, struct listing *listing)
{
    struct note_cuinfo cuinfo;
    struct note_tkinfo tkinfo;
    listing_add_row(listing, 2);
    put_text(listing, "vendor", vendor(listing->arena, note));
    put_number(listing, "type", note->type);
    if (note->type == NT_TKINFO && note_read_tkinfo(note, &tkinfo))
        put_tkinfo(&tkinfo, listing);
    else if (note->type == NT_CUINFO && note_read_cuinfo(note, &cuinfo))
        put_cuinfo(note, &cuinfo, listing);
    else
        put_bytes(listing, "content", note->content);
}

void decode_notes(const struct elf_section *section, struct listing *listing)
{
    listing->layout = LAYOUT_RECORDS;
    struct bytes rest = section_bytes(section);
    struct note note;
    while (note_next(&rest, &note))
        decode_note(&note, listing);
}
