/* Reads the virtual SM and the toolkit of a device object; see object_versions.h. */
#include "link/input/object_versions.h"

#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/note.h"
#include "format/section_type.h"

/* Reads the virtual SM and the toolkit of an object of ABI version 7 from the file header. Objects
 * of ABI version 8 have these facts in the cuinfo note. */
static void read_header(struct input_object *object)
{
    object->virtual_sm = object->elf.flags >> EF_12_VIRTUAL_SM_SHIFT & 0xff;
    object->toolkit =
        (uint16_t)(object->elf.version < UINT16_MAX ? object->elf.version : UINT16_MAX);
}

/* Recognises the vendor's notes by the size of their name, because nvlink 13.0.88 does not read the
 * name itself (observed with other names of the same size, for sm_80, sm_90 and sm_100). */
static bool is_expected_note(const struct note *note, uint32_t type)
{
    return note->name.size == sizeof NOTE_VENDOR && note->type == type;
}

/* Finds the last note of this type in the note sections that have the flag `mark`. */
static bool find_note(const struct elf_view *elf, uint32_t mark, uint32_t type, struct note *found)
{
    bool any = false;
    for (uint32_t i = 1; i < elf->section_count; i++) {
        const struct elf_section *section = &elf->sections[i];
        if (section->type != SHT_NOTE || !(section->flags & mark))
            continue;
        struct bytes rest = {section->data, section->size};
        struct note note;
        while (note_next(&rest, &note))
            if (is_expected_note(&note, type)) {
                *found = note;
                any = true;
            }
    }
    return any;
}

/* Reads the virtual SM and the toolkit of an object of ABI version 8. Version 1 of the cuinfo note,
 * which ptxas 12.8 and 12.9 write from sm_100 on, does not contain the toolkit. In this case the
 * toolkit is in the tkinfo note, in the field that later tkinfo notes use for their own version
 * (observed with patched notes). */
static void read_notes(struct input_object *object)
{
    struct note note, tool;
    struct note_cuinfo cuinfo;
    if (!find_note(&object->elf, SHF_CUINFO_NOTE, NT_CUINFO, &note) ||
        !note_read_cuinfo(&note, &cuinfo))
        return;
    object->virtual_sm = cuinfo.virtual_sm;
    if (cuinfo.version >= NOTE_CUINFO_VERSION)
        object->toolkit = cuinfo.toolkit;
    else if (find_note(&object->elf, SHF_TKINFO_NOTE, NT_TKINFO, &tool))
        object->toolkit = note_tkinfo_version(&tool);
}

void object_versions_read(struct input_object *object)
{
    if (elf_view_abi(&object->elf) == ABIVERSION_CUDA_12)
        read_header(object);
    else
        read_notes(object);
}
