/* Systematic damage; see sweep.h. */
#include "sweep.h"

#include "../mutation.h"
#include "format/elf.h"
#include "format/section_type.h"

/* The fields of the entries of tables. A field of width 0 ends each list. */
static const struct field SECTION_HEADER[] = {{0, 4},  {4, 4},  {8, 8},  {16, 8}, {24, 8}, {32, 8},
                                              {40, 4}, {44, 4}, {48, 8}, {56, 8}, {0, 0}};
static const struct field SYMBOL[] = {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}, {0, 0}};
static const struct field REL[] = {{0, 8}, {8, 4}, {12, 4}, {0, 0}};
static const struct field RELA[] = {{0, 8}, {8, 4}, {12, 4}, {16, 8}, {0, 0}};
static const struct field WORD[] = {{0, 4}, {0, 0}};
static const struct field RECORD[] = {{0, 1}, {1, 1}, {2, 2}, {0, 4}, {0, 0}};

/* The sections whose contents are tables. */
static const struct swept_table {
    uint32_t type;
    uint32_t entry_size;
    const struct field *fields;
} TABLES[] = {
    {SHT_SYMTAB, ELF_SYMBOL_SIZE, SYMBOL},
    {SHT_MERCURY_SYMTAB, ELF_SYMBOL_SIZE, SYMBOL},
    {SHT_REL, ELF_REL_SIZE, REL},
    {SHT_RELA, ELF_RELA_SIZE, RELA},
    {SHT_MERCURY_RELA, ELF_RELA_SIZE, RELA},
    {SHT_NOTE, 4, WORD},
    {SHT_SYMTAB_SHNDX, 4, WORD},
    {SHT_CUDA_INFO, 4, RECORD},
    {SHT_MERCURY_INFO, 4, RECORD},
    {SHT_CUDA_COMPAT, 4, RECORD},
    {SHT_CUDA_CALLGRAPH, 4, WORD},
    {SHT_MERCURY_CALLGRAPH, 4, WORD},
    {SHT_CUDA_PROTOTYPE, 4, WORD},
    {SHT_CUDA_FUNCTION_DATA, 4, WORD},
    {SHT_CUDA_UFT_ENTRY, 4, WORD},
    {SHT_CUDA_UDT_ENTRY, 4, WORD},
};

static void try_value(struct sweep *sweep, const struct fuzz_input *input, uint8_t *bytes,
                      unsigned width, uint64_t value)
{
    uint64_t old = load_field(bytes, width), mask = UINT64_MAX >> (64 - 8 * width);
    if ((value & mask) == old || sweep->next++ % sweep->parts != sweep->part)
        return;
    store_field(bytes, width, value);
    sweep->handler(sweep->context, input->data, input->size);
    store_field(bytes, width, old);
}

/* Tries small and large numbers, neighbours of the value, its double and its half, each of its
 * lower 32 bits inverted, and the values that the field has in a few other entries. */
static void sweep_field(struct sweep *sweep, struct fuzz_input *input, const struct table *table,
                        uint64_t index, struct field field)
{
    static const uint64_t NUMBERS[] = {0,  1,   2,      3,          4,          8,
                                       16, 128, 0xffff, 0x7fffffff, UINT32_MAX, UINT64_MAX};
    static const int64_t DISTANCES[] = {-8, -4, -1, 1, 4, 8};
    uint8_t *bytes = entry_at(table, index) + field.offset;
    uint64_t old = load_field(bytes, field.width);
    for (size_t i = 0; i < sizeof NUMBERS / sizeof *NUMBERS; i++)
        try_value(sweep, input, bytes, field.width, NUMBERS[i]);
    for (size_t i = 0; i < sizeof DISTANCES / sizeof *DISTANCES; i++)
        try_value(sweep, input, bytes, field.width, old + (uint64_t)DISTANCES[i]);
    try_value(sweep, input, bytes, field.width, old * 2);
    try_value(sweep, input, bytes, field.width, old / 2);
    for (unsigned bit = 0; bit < 8U * field.width && bit < 32; bit++)
        try_value(sweep, input, bytes, field.width, old ^ UINT64_C(1) << bit);
    const uint64_t others[] = {0, index - 1, index + 1, index + 2, table->count - 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i] < table->count)
            try_value(sweep, input, bytes, field.width,
                      load_field(entry_at(table, others[i]) + field.offset, field.width));
}

static void sweep_table(struct sweep *sweep, struct fuzz_input *input, const struct table *table,
                        const struct field *fields)
{
    for (uint64_t entry = 0; entry < table->count; entry++)
        for (const struct field *field = fields; field->width; field++)
            sweep_field(sweep, input, table, entry, *field);
}

static void sweep_file(struct sweep *sweep, struct fuzz_input *input)
{
    struct table sections = section_table(input);
    sweep_table(sweep, input, &sections, SECTION_HEADER);
    for (uint64_t i = 0; i < sections.count; i++) {
        const uint8_t *header = entry_at(&sections, i);
        for (size_t t = 0; t < sizeof TABLES / sizeof *TABLES; t++) {
            if (load_u32(header + 4) != TABLES[t].type)
                continue;
            struct table contents = contents_of(input, header, TABLES[t].entry_size);
            sweep_table(sweep, input, &contents, TABLES[t].fields);
        }
    }
}

/* The sweep changes the bytes through the input. */
void sweep_input(struct sweep *sweep, uint8_t *data, /* NOLINT(readability-non-const-parameter) */
                 size_t size)
{
    struct fuzz_input input = {.data = data, .size = size, .max_size = size};
    size_t starts[MOST_FILES];
    size_t count = find_files(&input, starts);
    for (size_t i = 0; i < count; i++) {
        select_file(&input, starts, count, i);
        if (input.kind == INPUT_DEVICE_ELF)
            sweep_file(sweep, &input);
    }
}
