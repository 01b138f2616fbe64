/* Host objects; see host_object.h. */
#include "format/container/host_object.h"

#include "format/elf.h"
#include "format/section_type.h"

/* Sizes of the ELF headers, and offsets of fields in them, in files of one ELF class. */
struct elf_class {
    uint8_t header_size;
    uint8_t section_header_size;
    uint8_t program_header_size;
    uint8_t e_phoff, e_phentsize;
    uint8_t e_shoff, e_phnum, e_shentsize, e_shnum, e_shstrndx;
    uint8_t sh_offset, sh_size, sh_link;
};

static const struct elf_class CLASSES[] = {
    [ELFCLASS32] = {52, 40, 32, 28, 42, 32, 44, 46, 48, 50, 16, 20, 24},
    [ELFCLASS64] = {64, 64, 56, 32, 54, 40, 56, 58, 60, 62, 24, 32, 40},
};

struct section_table {
    const struct elf_class *class;
    struct bytes file;
    struct bytes headers;
    struct bytes names;
    uint64_t count;
};

/* Loads a field that has 32 bits in ELFCLASS32 and 64 bits in ELFCLASS64. */
static uint64_t load_word(const struct section_table *table, const uint8_t *field)
{
    return table->class == &CLASSES[ELFCLASS32] ? load_u32(field) : load_u64(field);
}

static const uint8_t *header_at(const struct section_table *table, uint64_t index)
{
    return table->headers.data + index * table->class->section_header_size;
}

/* Finds the contents of a section; a NOBITS section has empty contents. Returns false if the
 * contents reach past the end of the file. */
static bool section_contents(const struct section_table *table, uint64_t index,
                             struct bytes *contents)
{
    const uint8_t *header = header_at(table, index);
    *contents = (struct bytes){0};
    return load_u32(header + SH_TYPE) == SHT_NOBITS ||
           bytes_part(table->file, load_word(table, header + table->class->sh_offset),
                      load_word(table, header + table->class->sh_size), contents);
}

/* Finds the section headers. Returns a text that says what is damaged, or NULL. If the number of
 * sections does not fit into 16 bits, e_shnum is 0 and sh_size of section 0 has the number. */
static const char *open_table(struct section_table *table)
{
    const struct elf_class *class = table->class;
    const uint8_t *header = table->file.data;
    uint64_t start = load_word(table, header + class->e_shoff);
    struct bytes first;
    if (load_u16(header + class->e_shentsize) != class->section_header_size)
        return "its section headers do not have the size of its ELF class";
    if (!start || !bytes_part(table->file, start, class->section_header_size, &first))
        return "its section headers are outside the file; it may be cut off";
    table->count = load_u16(header + class->e_shnum);
    if (!table->count)
        table->count = load_word(table, first.data + class->sh_size);
    if (table->count > table->file.size / class->section_header_size ||
        !bytes_part(table->file, start, table->count * class->section_header_size, &table->headers))
        return "its section headers are outside the file; it may be cut off";
    return NULL;
}

/* Finds the string table of the section names. Returns false if there is none, or if e_shstrndx
 * names a section of another type. A section of another type shows that e_shoff is wrong. */
static bool open_names(struct section_table *table)
{
    uint64_t index = load_u16(table->file.data + table->class->e_shstrndx);
    if (index == SHN_XINDEX && table->count)
        index = load_u32(table->headers.data + table->class->sh_link);
    return index < table->count && load_u32(header_at(table, index) + SH_TYPE) == SHT_STRTAB &&
           section_contents(table, index, &table->names);
}

/* Checks that the program headers lie inside the file. The check also applies to objects, although
 * they have no program headers: nvlink 13.0.88 refuses objects with wrong values in these header
 * fields (observed by flipping each bit). */
static const char *check_segments(const struct section_table *table)
{
    const struct elf_class *class = table->class;
    const uint8_t *header = table->file.data;
    uint64_t count = load_u16(header + class->e_phnum);
    bool is_good = !count || load_u16(header + class->e_phentsize) == class->program_header_size;
    if (is_good && bytes_contain(table->file, load_word(table, header + class->e_phoff),
                                 count * class->program_header_size))
        return NULL;
    return "its program headers are outside the file";
}

static const char *check_sections(const struct section_table *table)
{
    struct bytes contents;
    for (uint64_t i = 0; i < table->count; i++)
        if (!section_contents(table, i, &contents))
            return "one of its sections is outside the file; it may be cut off";
    return NULL;
}

/* Returns whether the section's name starts with the `size` bytes at `text`. */
static bool name_starts_with(const struct section_table *table, uint64_t index, const char *text,
                             size_t size)
{
    uint32_t offset = load_u32(header_at(table, index));
    return table->names.data && bytes_contain(table->names, offset, size) &&
           !memcmp(table->names.data + offset, text, size);
}

static bool has_name(const struct section_table *table, uint64_t index, const char *name)
{
    return name_starts_with(table, index, name, strlen(name) + 1);
}

static bool begins_with(const struct section_table *table, uint64_t index, const char *start)
{
    return name_starts_with(table, index, start, strlen(start));
}

/* Returns true if the section contains a fat binary, but does not have one of the names for fat
 * binaries: the name was damaged, or a tool changed it. Sections of data are excepted, because a
 * program may embed a fat binary as data. */
static bool is_stray_container(const struct section_table *table, uint64_t index)
{
    static const uint8_t HEAD[] = {0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0}; /* magic, version, size */
    static const char *const DATA[] = {".data", ".rodata", ".ldata", ".lrodata"};
    struct bytes contents;
    bool is_there = load_u32(header_at(table, index) + SH_TYPE) != SHT_NOBITS &&
                    section_contents(table, index, &contents) && contents.size >= sizeof HEAD &&
                    !memcmp(contents.data, HEAD, sizeof HEAD);
    if (!is_there || has_name(table, index, "__nv_relfatbin") ||
        has_name(table, index, ".nv_fatbin"))
        return false;
    for (size_t i = 0; i < sizeof DATA / sizeof *DATA; i++)
        if (begins_with(table, index, DATA[i]))
            return false;
    return true;
}

static bool has_stray_container(const struct section_table *table)
{
    for (uint64_t i = 1; i < table->count; i++)
        if (is_stray_container(table, i))
            return true;
    return false;
}

/* Returns a text that names a sign of device code in an object without linkable device code.
 * Returns NULL if there is no such sign, or if the object has linkable device code. */
static const char *find_trace(const struct host_object *object, const struct section_table *table)
{
    if (!object->has_device_code && object->relocatable_code.size)
        return "the section __nv_relfatbin, but no .nvFatBinSegment";
    if (!object->has_device_code && object->linked_code.size)
        return "the section .nv_fatbin, but no .nvFatBinSegment";
    if (!object->has_device_code && object->module_ids.size)
        return "the section __nv_module_id, but no .nvFatBinSegment";
    if (!object->relocatable_code.size && has_stray_container(table))
        return "a fat binary in a section of another name";
    return NULL;
}

/* Returns true if the object has machine code for the host. Objects compiled with -flto can have
 * it, too, for example with -ffat-lto-objects. */
static bool has_host_code(const struct section_table *table)
{
    for (uint64_t i = 1; i < table->count; i++) {
        const uint8_t *header = header_at(table, i);
        uint64_t flags = load_word(table, header + SH_FLAGS);
        if (flags & SHF_EXECINSTR && load_word(table, header + table->class->sh_size))
            return true;
    }
    return false;
}

static const char *find_intermediate(const struct section_table *table)
{
    for (uint64_t i = 1; i < table->count; i++) {
        bool is_gcc = begins_with(table, i, ".gnu.lto_");
        if (is_gcc || has_name(table, i, ".llvm.lto"))
            return has_host_code(table) ? NULL : is_gcc ? "GCC" : "LLVM";
    }
    return NULL;
}

/* Returns true if the section's name can be one that read_section looks for: all of those begin
 * with ".nv" or "__nv". This filter is fast, because archives have thousands of sections. */
static bool may_be_of_cuda(const struct section_table *table, uint64_t index)
{
    uint32_t offset = load_u32(header_at(table, index));
    if (!bytes_contain(table->names, offset, 4))
        return false;
    const uint8_t *name = table->names.data + offset;
    return !memcmp(name, ".nv", 3) || !memcmp(name, "__nv", 4);
}

static void read_section(struct host_object *object, const struct section_table *table,
                         uint64_t index)
{
    static const char *const REFERENCES[HOST_REFERENCE_COUNT] = {
        [HOST_KERNELS_EXTERNAL] = ".nvHRKE",   [HOST_KERNELS_INTERNAL] = ".nvHRKI",
        [HOST_VARIABLES_EXTERNAL] = ".nvHRDE", [HOST_VARIABLES_INTERNAL] = ".nvHRDI",
        [HOST_CONSTANTS_EXTERNAL] = ".nvHRCE", [HOST_CONSTANTS_INTERNAL] = ".nvHRCI",
    };
    if (has_name(table, index, ".nvFatBinSegment"))
        object->has_device_code = true;
    else if (has_name(table, index, "__nv_relfatbin"))
        section_contents(table, index, &object->relocatable_code);
    else if (has_name(table, index, ".nv_fatbin"))
        section_contents(table, index, &object->linked_code);
    else if (has_name(table, index, "__nv_module_id"))
        section_contents(table, index, &object->module_ids);
    for (int kind = 0; kind < HOST_REFERENCE_COUNT; kind++)
        if (has_name(table, index, REFERENCES[kind]))
            object->has_references[kind] =
                section_contents(table, index, &object->references[kind]);
}

static const char *open_sections(struct section_table *table)
{
    const uint8_t *ident = table->file.data;
    if (ident[EI_DATA] != ELFDATA2LSB ||
        (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64))
        return "its ELF class or byte order is not supported";
    table->class = &CLASSES[ident[EI_CLASS]];
    if (table->file.size < table->class->header_size)
        return "its header is cut off";
    return open_table(table);
}

bool host_object_open(struct bytes file, struct host_object *object)
{
    static const uint8_t MAGIC[] = {0x7f, 'E', 'L', 'F'};
    struct section_table table = {.file = file};
    *object = (struct host_object){0};
    if (file.size < E_MACHINE + 2 || memcmp(file.data, MAGIC, sizeof MAGIC) != 0 ||
        load_u16(file.data + E_MACHINE) == EM_CUDA)
        return false;
    object->machine = load_u16(file.data + E_MACHINE);
    object->is_relocatable = load_u16(file.data + E_TYPE) == ET_REL;
    object->damage = open_sections(&table);
    if (object->damage)
        return false;
    object->has_segments = load_u16(file.data + table.class->e_phnum);
    object->damage = check_segments(&table);
    if (!object->damage)
        object->damage = check_sections(&table);
    if (!open_names(&table))
        return false;
    for (uint64_t i = 1; i < table.count; i++)
        if (may_be_of_cuda(&table, i))
            read_section(object, &table, i);
    object->trace = find_trace(object, &table);
    if (!object->has_device_code)
        object->intermediate = find_intermediate(&table);
    return true;
}

bool host_string_next(struct bytes *rest, struct bytes *text)
{
    const uint8_t *end = rest->size ? memchr(rest->data, 0, (size_t)rest->size) : NULL;
    if (!end)
        return false;
    *text = (struct bytes){rest->data, (uint64_t)(end - rest->data)};
    rest->data = end + 1;
    rest->size -= text->size + 1;
    return true;
}
