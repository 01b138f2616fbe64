/* Merges `.nv.compat`; see compat.h.
 *
 * Part of resolve, which reads all objects' records, and of merge. Targets from sm_90 on have the
 * section, whatever the inputs have. Records stand in the order in which their codes were first
 * met, behind that of the target; nobody has published what the codes mean. All rules here were
 * observed with pairs of patched objects at sm_90 and sm_90a. */
#include "link/compat.h"

enum { FIRST_SM_WITH_COMPAT = 90 };

enum compat_code {
    COMPAT_ISA_CLASS = 2, /* nvlink's word for it */
    COMPAT_MASK = 3,
    COMPAT_5 = 5,
    COMPAT_6 = 6,
    COMPAT_7 = 7,
    COMPAT_8 = 8,
    COMPAT_ACCELERATED = 9,
    COMPAT_FEATURES = 11,
};

/* The record of features: a set of 64 bits that the linker makes anew, whatever the inputs have
 * (observed from sm_100 on). One bit tells that no function computes in double precision or with
 * matrices of integers. */
enum {
    FEATURES_SIZE = 8,
    FEATURE_SM_100 = 0x01,
    FEATURE_NO_DOUBLE = 0x08,
    FEATURES_SM_120 = 0x50,
};

/* Instructions that FEATURE_NO_DOUBLE is about, by the low 9 bits of the opcode: in double
 * precision add, multiply, fused multiply and add, matrix; matrices of integers. Conversions,
 * atomics and all else do not count (210 kernels of one kind each, nvlink 13.0.88). */
static const uint16_t DOUBLE_OPCODES[] = {0x29, 0x28, 0x2b, 0x3f, 0x37};

/* Matrices in tensor memory count if their kind is that of integers (9 kinds tried). */
enum { TENSOR_MATRIX = 0x1ea, TENSOR_KIND_AT = 9, TENSOR_KIND_MASK = 3, TENSOR_KIND_INTEGER = 1 };

/* Comparisons in double precision count, too. But of those with an immediate that set one predicate
 * and read none nvlink takes single precision for double: FSETP counts, DSETP does not. */
enum {
    COMPARE_DOUBLE = 0x2a,
    COMPARE_DOUBLE_IMMEDIATE = 0x42a,
    COMPARE_SINGLE_IMMEDIATE = 0x80b,
    PREDICATES_AT = 10,
    PREDICATES_MASK = 0x07f0, /* the second result, what is read, and whether that is negated */
    PREDICATES_NONE = 0x03f0,
};

/* Codes that an executable can have; records of others are dropped. `missing` is what an object
 * that has the section but not the code counts as; the format is the output's whatever the input's,
 * and a sized record counts with its length. */
static const struct {
    uint8_t format;
    bool is_required;
    uint16_t missing;
} CODES[COMPAT_CODES] = {
    [COMPAT_ISA_CLASS] = {INFO_FORMAT_BYTE, true, 0},
    [COMPAT_MASK] = {INFO_FORMAT_BYTE, true, 3},
    [COMPAT_5] = {INFO_FORMAT_BYTE, true, 0},
    [COMPAT_6] = {INFO_FORMAT_BYTE, true, 1},
    [COMPAT_7] = {INFO_FORMAT_HALF, true, 0x100},
    [COMPAT_8] = {INFO_FORMAT_HALF, false, 0},
    [COMPAT_ACCELERATED] = {INFO_FORMAT_BYTE, false, 0},
};

/* Zero wins, else the larger value. */
static uint16_t zero_or_larger(uint16_t a, uint16_t b)
{
    if (!a || !b)
        return 0;
    return a > b ? a : b;
}

/* Code 5 has two fields of two bits; what is above them is the first object's. */
static uint16_t join_fields(uint16_t held, uint16_t found)
{
    unsigned low = zero_or_larger(held & 3, found & 3);
    unsigned high = zero_or_larger(held & 12, found & 12);
    return (uint16_t)((held & ~15u) | high | low);
}

/* What values of two objects become (observed with all pairs of small values). */
static uint16_t join(uint8_t code, uint16_t held, uint16_t found)
{
    switch (code) {
    case COMPAT_MASK:
        return held | found;
    case COMPAT_ISA_CLASS:
        return zero_or_larger(held, found);
    case COMPAT_5:
        return join_fields(held, found);
    case COMPAT_6:
        return held == found ? held : 1;
    default:
        return held > found ? held : found;
    }
}

static void add(struct compat *compat, uint8_t code, uint16_t value)
{
    if (CODES[code].format == INFO_FORMAT_BYTE)
        value &= 0xff;
    if (compat->seen >> code & 1) {
        compat->values[code] = join(code, compat->values[code], value);
        return;
    }
    compat->seen |= UINT32_C(1) << code;
    compat->values[code] = value;
    compat->order[compat->count++] = code;
}

/* The codes that the section has. One of them the target decides, whatever the inputs say. */
static uint32_t add_records(struct compat *compat, const struct elf_section *section)
{
    uint32_t seen = 0;
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        if (record.code >= COMPAT_CODES || !CODES[record.code].format ||
            record.code == COMPAT_ACCELERATED)
            continue;
        add(compat, record.code, record.value);
        seen |= UINT32_C(1) << record.code;
    }
    return seen;
}

static void add_missing(link_context *link, uint32_t seen)
{
    for (unsigned code = 0; code < COMPAT_CODES; code++)
        if (CODES[code].is_required && !(seen >> code & 1))
            add(&link->compat, (uint8_t)code, CODES[code].missing);
}

static bool is_wanted(const link_context *link)
{
    return link->target->number >= FIRST_SM_WITH_COMPAT && !link_writes_abi_12(link);
}

void compat_read(link_context *link, const struct input_object *object,
                 const struct elf_section *section)
{
    if (!is_wanted(link))
        return;
    uint32_t seen = add_records(&link->compat, section);
    if (!(seen >> COMPAT_ISA_CLASS & 1))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPAT_MISSING, object->name, NULL,
                          link->target->number, object->name);
    add_missing(link, seen);
}

/* The last record counts, whatever its format (observed with up to three of them, patched). */
bool compat_is_accelerated(const struct input_object *object)
{
    const struct elf_view *elf = &object->elf;
    bool is_accelerated = false;
    for (uint32_t i = 0; i < elf->early_section_count; i++) {
        const struct elf_section *section = elf_view_early_section(elf, i);
        struct bytes rest = {section->data, section->size};
        struct info_record record;
        while (section->type == SHT_CUDA_COMPAT && info_record_next(&rest, &record))
            if (record.code == COMPAT_ACCELERATED)
                is_accelerated = (record.value & 0xff) == 1;
    }
    return is_accelerated;
}

void compat_start(link_context *link)
{
    if (!is_wanted(link))
        return;
    link->output.compat = output_add(link, ".nv.compat", SHAPE_COMPAT);
}

static bool counts_as_double(const uint8_t *instruction)
{
    enum { OPCODE_MASK = 0xfff, KIND_MASK = 0x1ff };
    uint16_t opcode = load_u16(instruction) & OPCODE_MASK;
    bool is_plain = (load_u16(instruction + PREDICATES_AT) & PREDICATES_MASK) == PREDICATES_NONE;
    if (opcode == COMPARE_SINGLE_IMMEDIATE)
        return is_plain;
    if ((opcode & KIND_MASK) == TENSOR_MATRIX)
        return (instruction[TENSOR_KIND_AT] & TENSOR_KIND_MASK) == TENSOR_KIND_INTEGER;
    if ((opcode & KIND_MASK) == COMPARE_DOUBLE)
        return opcode != COMPARE_DOUBLE_IMMEDIATE || !is_plain;
    for (size_t i = 0; i < sizeof DOUBLE_OPCODES / sizeof *DOUBLE_OPCODES; i++)
        if ((opcode & KIND_MASK) == DOUBLE_OPCODES[i])
            return true;
    return false;
}

static bool computes_in_double(const struct output_section *text)
{
    enum { INSTRUCTION = 16 };
    for (size_t c = 0; c < text->chunks_count; c++) {
        const struct chunk *chunk = &text->chunks[c];
        const uint8_t *code = chunk->object->elf.sections[chunk->input_section].data;
        for (uint64_t i = 0; i + INSTRUCTION <= chunk->size; i += INSTRUCTION)
            if (counts_as_double(code + i))
                return true;
    }
    return false;
}

static bool any_computes_in_double(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && link->functions[i]->text && !link->functions[i]->is_stub &&
            computes_in_double(link->functions[i]->text))
            return true;
    return false;
}

static bool any_code(const link_context *link)
{
    for (size_t i = 0; i < link->functions_count; i++)
        if (link->functions[i]->kept && link->functions[i]->text)
            return true;
    return false;
}

static uint64_t features(const link_context *link)
{
    if (!any_code(link))
        return 0;
    if (link->target->number == 100)
        return FEATURE_SM_100 | (any_computes_in_double(link) ? 0u : FEATURE_NO_DOUBLE);
    return link->target->number == 120 ? FEATURES_SM_120 : 0;
}

static uint8_t *write_features(const link_context *link, uint8_t *place)
{
    place[0] = INFO_FORMAT_SIZED;
    place[1] = COMPAT_FEATURES;
    store_u16(place + 2, FEATURES_SIZE);
    store_u64(place + 4, features(link));
    return place + 4 + FEATURES_SIZE;
}

static uint8_t *write_record(uint8_t *place, uint8_t code, uint16_t value)
{
    place[0] = CODES[code].format;
    place[1] = code;
    store_u16(place + 2, value);
    return place + 4;
}

void compat_finish(link_context *link)
{
    struct output_section *section = link->output.compat;
    const struct compat *compat = &link->compat;
    if (!section)
        return;
    if (link->options.relocatable && !compat->count)
        section->dropped = true; /* no input has one: a final link must not take it for one */
    size_t room = 4 * ((size_t)compat->count + 1) + 4 + FEATURES_SIZE;
    uint8_t *bytes = ARENA_ARRAY(ARENA, uint8_t, room);
    uint8_t *end =
        write_record(bytes, COMPAT_ACCELERATED, link->target->suffix == SUFFIX_ACCELERATED);
    for (uint32_t i = 0; i < compat->count; i++)
        end = write_record(end, compat->order[i], compat->values[compat->order[i]]);
    if (link_has_mercury(link))
        end = write_features(link, end);
    output_add_rare(link, section)->bytes = bytes;
    section->size = (uint64_t)(end - bytes);
}
