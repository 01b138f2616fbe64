/* Merges `.nv.compat`; see compat.h. pass_resolve calls compat_read for each object; pass_merge
 * creates the output section; pass_metadata writes its records. Executables of ABI version 8 for
 * sm_90 and later have the section, even if no input has it. The first record says whether the
 * target is an "a" target; the others follow in the order in which their codes were first seen.
 *
 * NVIDIA does not publish the meaning of the codes. The rules for sm_90 and sm_90a were observed
 * with pairs of patched objects for these targets, the rules for sm_100 with objects for sm_100. */
#include "link/model/compat.h"

#include <assert.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/architecture.h"
#include "format/elf.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "format/section_type.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/release.h"

enum { FIRST_SM_WITH_COMPAT = 90 };

enum compat_code {
    COMPAT_ISA_CLASS = 2, /* nvlink's term */
    COMPAT_MASK = 3,
    COMPAT_5 = 5,
    COMPAT_6 = 6,
    COMPAT_7 = 7,
    COMPAT_8 = 8,
    COMPAT_ACCELERATED = 9,
    COMPAT_FEATURES = 11,
    COMPAT_12 = 12,
    COMPAT_13 = 13,
    COMPAT_14 = 14,
    COMPAT_15 = 15,
};

/* Bits of the record of features, which is a set of 64 bits. FEATURE_NO_DOUBLE says that no
 * function computes in double precision or with integer matrices. The record depends on target and
 * release (observed):
 *
 *     sm_90               up to 13.1     no record
 *                         from 13.2 on   the bits that are set in all objects
 *     sm_100 and later    up to 13.2     generated, see features(); objects' records are ignored
 *                         from 13.3 on   the bits that are set in all objects; generated if no
 *                                        object has a record */
enum {
    FEATURES_SIZE = 8,
    FEATURE_SM_100 = 0x01,
    FEATURE_NO_DOUBLE = 0x08,
    FEATURES_SM_120 = 0x50,
};

/* Instructions that clear FEATURE_NO_DOUBLE, by the low 9 bits of the opcode: addition,
 * multiplication, fused multiply-add and matrix instruction in double precision, and the integer
 * matrix instruction. No other instruction clears the bit, not even conversions and atomics (210
 * kernels of one instruction kind each, nvlink 13.0.88). */
static const uint16_t DOUBLE_OPCODES[] = {0x29, 0x28, 0x2b, 0x3f, 0x37};

/* A matrix instruction on tensor memory clears FEATURE_NO_DOUBLE if it computes with integers. Its
 * low two bits of byte 9 then are TENSOR_KIND_INTEGER (9 kinds tried). */
enum { TENSOR_MATRIX = 0x1ea, TENSOR_KIND_AT = 9, TENSOR_KIND_MASK = 3, TENSOR_KIND_INTEGER = 1 };

/* Comparisons in double precision clear FEATURE_NO_DOUBLE, too. But nvlink confuses the precisions
 * if a comparison has an immediate, sets one predicate and reads none. Among these comparisons,
 * FSETP (single precision) clears the bit, and DSETP (double precision) does not. */
enum {
    COMPARE_DOUBLE = 0x2a,
    COMPARE_DOUBLE_IMMEDIATE = 0x42a,
    COMPARE_SINGLE_IMMEDIATE = 0x80b,
    PREDICATES_AT = 10,
    PREDICATES_MASK = 0x07f0, /* the second predicate set, the predicate read and its negation */
    PREDICATES_NONE = 0x03f0,
};

/* The effect of an object that has the section, but no record of a code. `absent` is the field of
 * the code's compat_rule. */
enum absence {
    ABSENT_COUNTS,  /* the object counts as one with a record of the value `absent` */
    ABSENT_JOINS,   /* like ABSENT_COUNTS, but only if another object has a record */
    ABSENT_DEFAULT, /* like ABSENT_JOINS; no record in the output if the result is `absent` */
    ABSENT_REMOVES, /* the output has no record */
    ABSENT_NOTHING, /* the object is ignored */
};

/* The rules for the codes that an executable can have; records of other codes are dropped. A record
 * of the output has the format of its rule, even if the inputs' records have another. A rule holds
 * for the releases from first_release to last_release. Rules for releases after 13.0 were observed
 * with patched objects of 13.1 to 13.5, linked with one another and with objects of 13.0. */
static const struct compat_rule {
    uint8_t code;
    uint8_t format;
    uint8_t absence; /* enum absence */
    uint16_t absent; /* value that stands for an absent record; 0 if `absence` needs none */
    uint16_t first_release, last_release;
} RULES[] = {
    {COMPAT_ISA_CLASS, INFO_FORMAT_BYTE, ABSENT_COUNTS, 0, 0, UINT16_MAX},
    {COMPAT_MASK, INFO_FORMAT_BYTE, ABSENT_COUNTS, 3, 0, UINT16_MAX},
    {COMPAT_5, INFO_FORMAT_BYTE, ABSENT_COUNTS, 0, 0, 130},
    {COMPAT_5, INFO_FORMAT_BYTE, ABSENT_DEFAULT, 0, 131, UINT16_MAX},
    {COMPAT_6, INFO_FORMAT_BYTE, ABSENT_COUNTS, 1, 0, 130},
    {COMPAT_7, INFO_FORMAT_HALF, ABSENT_COUNTS, 0x100, 0, 132},
    {COMPAT_7, INFO_FORMAT_HALF, ABSENT_DEFAULT, 0x100, 133, UINT16_MAX},
    {COMPAT_8, INFO_FORMAT_HALF, ABSENT_NOTHING, 0, 0, UINT16_MAX},
    {COMPAT_ACCELERATED, INFO_FORMAT_BYTE, ABSENT_NOTHING, 0, 0, UINT16_MAX},
    {COMPAT_FEATURES, INFO_FORMAT_SIZED, ABSENT_JOINS, 0, 132, UINT16_MAX},
    {COMPAT_12, INFO_FORMAT_BYTE, ABSENT_COUNTS, 2, 134, UINT16_MAX},
    {COMPAT_13, INFO_FORMAT_HALF, ABSENT_COUNTS, 0x100, 133, UINT16_MAX},
    {COMPAT_14, INFO_FORMAT_HALF, ABSENT_REMOVES, 0, 134, UINT16_MAX},
    {COMPAT_15, INFO_FORMAT_HALF, ABSENT_REMOVES, 0, 134, UINT16_MAX},
};

enum { RULE_COUNT = sizeof RULES / sizeof *RULES };

static bool is_in_force(const link_context *link, const struct compat_rule *rule)
{
    return rule->first_release <= link->toolkit && link->toolkit <= rule->last_release;
}

/* Returns NULL if no rule for the code holds for the link's release. */
static const struct compat_rule *find_rule(const link_context *link, unsigned code)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (RULES[i].code == code && is_in_force(link, &RULES[i]))
            return &RULES[i];
    return NULL;
}

/* Returns the rule of a code that has one in the link's release. Callers pass ACCELERATED, for
 * which each release has a rule, or a code of compat.order, to which only codes with a rule are
 * added. */
static const struct compat_rule *known_rule(const link_context *link, unsigned code)
{
    const struct compat_rule *rule = find_rule(link, code);
    assert(rule);
    return rule;
}

/* Returns 0 if a or b is 0, else the larger of them. */
static uint64_t zero_or_larger(uint64_t a, uint64_t b)
{
    if (!a || !b)
        return 0;
    return a > b ? a : b;
}

/* Combines two values of code 5, which has two fields of two bits. The bits above the fields keep
 * the value of the first object. */
static uint64_t join_fields(uint64_t held, uint64_t found)
{
    uint64_t low = zero_or_larger(held & 3, found & 3);
    uint64_t high = zero_or_larger(held & 12, found & 12);
    return (held & ~UINT64_C(15)) | high | low;
}

/* Combines the value of the objects read so far with the value of the next object (observed with
 * all pairs of small values). */
static uint64_t join_values(uint8_t code, uint64_t held, uint64_t found)
{
    switch (code) {
    case COMPAT_MASK:
        return held | found;
    case COMPAT_FEATURES:
        return held & found;
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

static void add_compat_value(struct compat *compat, uint8_t code, uint64_t value)
{
    if (compat->seen >> code & 1) {
        compat->values[code] = join_values(code, compat->values[code], value);
        return;
    }
    compat->seen |= UINT32_C(1) << code;
    compat->values[code] = value;
    compat->order[compat->count++] = code;
}

static uint64_t value_of(const struct compat_rule *rule, const struct info_record *record)
{
    if (rule->format == INFO_FORMAT_BYTE)
        return record->value & 0xff;
    bool is_set = rule->format == INFO_FORMAT_SIZED;
    if (is_set && (record->format != INFO_FORMAT_SIZED || record->value < FEATURES_SIZE))
        return 0;
    return is_set ? load_u64(record->payload) : record->value;
}

/* Adds the records of an object's section and returns the set of their codes, as bits. ACCELERATED
 * records are skipped: the output's record of that code depends only on the target. */
static uint32_t add_records(link_context *link, const struct elf_section *section)
{
    uint32_t seen = 0;
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    while (info_record_next(&rest, &record)) {
        const struct compat_rule *rule = find_rule(link, record.code);
        if (!rule || record.code == COMPAT_ACCELERATED)
            continue;
        add_compat_value(&link->compat, record.code, value_of(rule, &record));
        seen |= UINT32_C(1) << record.code;
    }
    return seen;
}

/* Handles the codes for which the object has no record: notes them in `lacking`, and adds a value
 * if the code's rule is ABSENT_COUNTS. The values are added in ascending order of the codes. */
static void add_missing(link_context *link, uint32_t seen)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (RULES[i].absence == ABSENT_COUNTS && !(seen >> RULES[i].code & 1) &&
            is_in_force(link, &RULES[i]))
            add_compat_value(&link->compat, RULES[i].code, RULES[i].absent);
    link->compat.lacking |= ~seen;
}

static bool compat_is_wanted(const link_context *link)
{
    return link->target->number >= FIRST_SM_WITH_COMPAT && !link_writes_abi_12(link);
}

void compat_read(link_context *link, const struct input_object *object,
                 const struct elf_section *section)
{
    if (!compat_is_wanted(link))
        return;
    uint32_t seen = add_records(link, section);
    if (!(seen >> COMPAT_ISA_CLASS & 1))
        diagnostic_report(&link->diagnostics, DIAGNOSTIC_COMPAT_MISSING, object->name, NULL,
                          link->target->number, object->name);
    add_missing(link, seen);
}

/* The last ACCELERATED record decides. Its format is ignored (observed with up to three patched
 * records). */
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

bool compat_runs_on_target(const link_context *link, const struct input_object *object)
{
    unsigned sm = elf_view_sm(&object->elf);
    return link_takes_code_of(link, sm) &&
           (sm == link->target->number || !compat_is_accelerated(object));
}

void compat_start(link_context *link)
{
    if (!compat_is_wanted(link))
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
    for (size_t c = 0; c < text->chunks_count; c++) {
        const struct chunk *chunk = &text->chunks[c];
        const uint8_t *code = chunk->input->data;
        for (uint64_t i = 0; i + NATIVE_INSTRUCTION_SIZE <= chunk->size;
             i += NATIVE_INSTRUCTION_SIZE)
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

/* Whether the combined records of the inputs clear FEATURE_NO_DOUBLE. They do if a field of code 5
 * is 2, or if the ISA class is 4 (tried with all values up to 19 and a dozen larger ones in patched
 * objects for sm_100, nvlink 13.0.88). */
static bool records_count_as_double(const struct compat *compat)
{
    enum { ISA_CLASS_WITH_DOUBLE = 4, FIELD_WITH_DOUBLE = 2 };
    uint64_t fields = compat->values[COMPAT_5];
    return compat->values[COMPAT_ISA_CLASS] == ISA_CLASS_WITH_DOUBLE ||
           (fields & 3) == FIELD_WITH_DOUBLE || (fields >> 2 & 3) == FIELD_WITH_DOUBLE;
}

static uint64_t features(const link_context *link)
{
    if (!any_code(link))
        return 0;
    if (link->target->number == 100)
        return FEATURE_SM_100 |
               (records_count_as_double(&link->compat) || any_computes_in_double(link)
                    ? 0u
                    : FEATURE_NO_DOUBLE);
    return link->target->number == 120 ? FEATURES_SM_120 : 0;
}

static uint8_t *write_compat_record(const struct compat_rule *rule, uint64_t value, uint8_t *out)
{
    out[0] = rule->format;
    out[1] = rule->code;
    if (rule->format != INFO_FORMAT_SIZED) {
        store_u16(out + 2, (uint16_t)value);
        return out + 4;
    }
    store_u16(out + 2, FEATURES_SIZE);
    store_u64(out + 4, value);
    return out + 4 + FEATURES_SIZE;
}

/* Computes the value of the output's record of a code for which some object has a record. Returns
 * false if the output has no record of the code. */
static bool decide_compat_value(const link_context *link, const struct compat_rule *rule,
                                uint64_t *value)
{
    const struct compat *compat = &link->compat;
    bool is_lacking = compat->lacking >> rule->code & 1;
    *value = compat->values[rule->code];
    if (is_lacking && (rule->absence == ABSENT_JOINS || rule->absence == ABSENT_DEFAULT))
        *value = join_values(rule->code, *value, rule->absent);
    if (rule->code == COMPAT_FEATURES && link_has_mercury(link) &&
        !link_follows(link, RELEASE_COUNTS_OTHER_FEATURES))
        *value = features(link);
    if (rule->code == COMPAT_14 && link_has_mercury(link))
        return false;
    return !(is_lacking && rule->absence == ABSENT_REMOVES) &&
           !(rule->absence == ABSENT_DEFAULT && *value == rule->absent);
}

/* Writes the record of code 14 that releases from 13.4 on generate for sm_100 and later. It is the
 * last record of the section; decide_compat_value drops the record that combines those of the
 * inputs. */
static uint8_t *write_generated_code_14(const link_context *link, uint8_t *out)
{
    enum { VALUE_13_4 = 0x400, VALUE_13_5 = 0x440 };
    const struct compat_rule *rule = find_rule(link, COMPAT_14);
    if (!rule || !link_has_mercury(link))
        return out;
    return write_compat_record(rule, link->toolkit == rule->first_release ? VALUE_13_4 : VALUE_13_5,
                               out);
}

static uint8_t *write_records(const link_context *link, uint8_t *out)
{
    static const struct compat_rule GENERATED_FEATURES = {.code = COMPAT_FEATURES,
                                                          .format = INFO_FORMAT_SIZED};
    const struct compat *compat = &link->compat;
    uint64_t value = link->target->suffix == SUFFIX_ACCELERATED;
    out = write_compat_record(known_rule(link, COMPAT_ACCELERATED), value, out);
    for (uint32_t i = 0; i < compat->count; i++) {
        const struct compat_rule *rule = known_rule(link, compat->order[i]);
        if (decide_compat_value(link, rule, &value))
            out = write_compat_record(rule, value, out);
    }
    if (link_has_mercury(link) && !(compat->seen >> COMPAT_FEATURES & 1))
        out = write_compat_record(&GENERATED_FEATURES, features(link), out);
    return write_generated_code_14(link, out);
}

void compat_finish(link_context *link)
{
    struct output_section *section = link->output.compat;
    if (!section)
        return;
    if (link->options.relocatable && !link->compat.count)
        section->dropped = true; /* no input has the section, and a later link must not find one */
    size_t capacity = 4 * ((size_t)link->compat.count + 3) + 2 * (size_t)FEATURES_SIZE;
    uint8_t *bytes = ARENA_ARRAY(&link->arena, uint8_t, capacity);
    section->size = (uint64_t)(write_records(link, bytes) - bytes);
    output_add_rare(link, section)->bytes = bytes;
}
