/* Checks the records of attributes and of .nv.compat; see elf_check.h. */
#include "base/bytes.h"
#include "format/elf.h"
#include "format/elf_check.h"
#include "format/elf_view.h"
#include "format/info_record.h"

/* Values of elf_check.parameters_size if no record states the size (NO_) or if records state
 * different sizes (SEVERAL_). The last record does not win, because a link can change the order of
 * records. */
enum { NO_PARAMETERS_SIZE = UINT16_MAX + 1, SEVERAL_PARAMETERS_SIZES };

/* Applies the strict rules (see elf_check.is_strict) to one record. Requires: the symbols of the
 * record exist. */
static void check_strictly(struct elf_check *check, const struct elf_section *section,
                           const struct info_attribute *attribute, uint64_t index,
                           const struct info_record *record)
{
    if (attribute->payload == INFO_PAYLOAD_SYMBOL_WORDS) {
        elf_check_function_record(check, section, index, record);
    } else if (attribute->code == EIATTR_KPARAM_INFO) {
        check->has_parameters = true;
    } else if (attribute->code == EIATTR_PARAM_CBANK) {
        if (check->has_parameter_bank && section->info)
            elf_check_report(check, ELF_RULE_ATTRIBUTE_REPEATED, section->index, index,
                             check->view->sections[section->info].info & ELF_CODE_SYMBOL_MASK);
        check->has_parameter_bank = true;
        check->bank_parameters = info_record_word(record, 1) >> 16;
        elf_check_parameter_bank(check, section, index, record);
    }
}

static void check_attribute_symbols(struct elf_check *check, const struct elf_section *section,
                                    const struct info_attribute *attribute, uint64_t index,
                                    const struct info_record *record)
{
    if (record->value < attribute->least ||
        (attribute->symbols == INFO_SYMBOLS_EVERY && record->value % 4)) {
        elf_check_report(check, ELF_RULE_ATTRIBUTE_PAYLOAD, section->index, index, record->value);
        return;
    }
    if (attribute->symbols == INFO_SYMBOLS_NO)
        return;
    uint32_t symbols = attribute->symbols == INFO_SYMBOLS_EVERY ? record->value / 4 : 1;
    uint32_t symbol_count = elf_check_symbols(check, section)->count;
    for (uint32_t i = 0; i < symbols; i++)
        if (info_record_word(record, i) >= symbol_count) {
            elf_check_report(check, ELF_RULE_ATTRIBUTE_SYMBOL, section->index, index,
                             info_record_word(record, i));
            return;
        }
    if (symbols && check->is_strict)
        check_strictly(check, section, attribute, index, record);
}

/* Returns true if the attribute may have this format. If no available compiler writes the
 * attribute, its format is unknown and any format is accepted. An exception are attributes that
 * name symbols: they must have the format with a payload, because nvlink 13.0.88 crashes on codes
 * 2, 6, 7, 8, 19, 38 and 59 in other formats. */
static bool format_fits(const struct info_attribute *attribute, uint8_t format)
{
    if (attribute->format == INFO_FORMAT_NOT_KNOWN)
        return attribute->symbols == INFO_SYMBOLS_NO || format == INFO_FORMAT_SIZED;
    return attribute->format == format;
}

/* Checks that the record has one of the known formats. In an unknown format the size of the record
 * is unknown, so callers cannot read the next record. */
static bool check_format(struct elf_check *check, const struct elf_section *section, uint64_t index,
                         const struct info_record *record)
{
    if (record->format >= INFO_FORMAT_NONE && record->format <= INFO_FORMAT_SIZED)
        return true;
    elf_check_report(check, ELF_RULE_ATTRIBUTE_FORMAT, section->index, index, record->format);
    return false;
}

/* Checks the format and the symbols of an attribute. Returns false if the next record must not be
 * read. */
static bool check_attribute(struct elf_check *check, const struct elf_section *section,
                            uint64_t index, const struct info_record *record)
{
    if (!check_format(check, section, index, record))
        return false;
    const struct info_attribute *attribute = info_attribute_find(record->code);
    if (!attribute) {
        elf_check_report(check, ELF_RULE_ATTRIBUTE_UNKNOWN, section->index, index, record->code);
        return !check->stopped;
    }
    if (attribute->is_bound && !format_fits(attribute, record->format))
        elf_check_report(check, ELF_RULE_ATTRIBUTE_FORMAT, section->index, index, record->format);
    else if (record->format == INFO_FORMAT_SIZED)
        check_attribute_symbols(check, section, attribute, index, record);
    else if (record->code == EIATTR_CBANK_PARAM_SIZE)
        check->parameters_size =
            check->parameters_size == NO_PARAMETERS_SIZE || check->parameters_size == record->value
                ? record->value
                : SEVERAL_PARAMETERS_SIZES;
    return true;
}

void elf_check_compatibility(struct elf_check *check, const struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    uint64_t index = 0;
    for (; !check->stopped && info_record_next(&rest, &record); index++)
        if (!check_format(check, section, index, &record))
            return;
    if (rest.size)
        elf_check_report(check, ELF_RULE_ATTRIBUTE_CUT, section->index, index, rest.size);
}

/* Checks the records about the parameters of one kernel. PARAM_CBANK and CBANK_PARAM_SIZE both
 * state the size of the parameters. The sizes agree in all objects of ptxas (600 kernels).
 * nvlink 13.0.88 copies both records without a check. */
static void check_parameters(struct elf_check *check, const struct elf_section *section)
{
    if (!check->has_parameter_bank) {
        if (check->has_parameters && section->view == VIEW_NATIVE)
            elf_check_report(check, ELF_RULE_NO_PARAMETER_BANK, section->index, 0, 0);
    } else if (check->parameters_size != check->bank_parameters && section->info &&
               check->parameters_size != NO_PARAMETERS_SIZE) {
        elf_check_report(check, ELF_RULE_PARAMETER_SIZE, section->index, 0, check->bank_parameters);
    }
}

void elf_check_attributes(struct elf_check *check, struct elf_section *section)
{
    struct bytes rest = {section->data, section->size};
    struct info_record record;
    uint64_t index = 0;
    bool has_fragments = false;
    check->has_parameters = check->has_parameter_bank = false;
    check->parameters_size = NO_PARAMETERS_SIZE;
    for (; !check->stopped && info_record_next(&rest, &record); index++) {
        if (!check_attribute(check, section, index, &record))
            return;
        has_fragments |= record.code == EIATTR_AT_ENTRY_FRAGMENTS;
    }
    section->has_fragments = has_fragments;
    if (rest.size)
        elf_check_report(check, ELF_RULE_ATTRIBUTE_CUT, section->index, index, rest.size);
    else
        check_parameters(check, section);
}
