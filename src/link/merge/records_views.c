/* Reads the attributes of the two views in parallel; see records_views.h. */
#include "link/merge/records_views.h"

#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diagnostic.h"
#include "format/elf_view.h"
#include "format/info_record.h"
#include "link/model/input_object.h"
#include "link/model/output.h"
#include "link/model/release.h"

struct record_views record_views_start(link_context *link, struct input_object *object,
                                       const struct elf_section *input,
                                       struct output_section *output)
{
    struct record_views views = {.link = link, .object = object, .input = input, .output = output};
    uint32_t other = link_has_mercury(link) ? object->other_view[input->index] : 0;
    if (other) {
        const struct elf_section *mercury = &object->elf.sections[other];
        views.mercury = (struct bytes){mercury->data, mercury->size};
        views.paired = true;
    }
    return views;
}

static bool is_native_only(const link_context *link, uint8_t code)
{
    return code == EIATTR_CBANK_PARAM_SIZE || code == EIATTR_PARAM_CBANK || code == EIATTR_SW_WAR ||
           ((code == EIATTR_NVSAL_SW_WAR || code == EIATTR_PREEXIT_USED) &&
            link_attribute(link, code));
}

static bool is_mercury_only(uint8_t code)
{
    return code == EIATTR_MERCURY_FINALIZER_OPTIONS;
}

static void take_mercury_record(struct record_views *views, const struct info_record *record)
{
    link_context *link = views->link;
    if (!views->output)
        return;
    *ARENA_APPEND(&link->arena, views->output, records) = (struct output_record){
        .payload = record->payload,
        .object = views->object->position,
        .value = record->value,
        .format = record->format,
        .code = record->code,
        .only = IN_MERCURY,
    };
}

/* Copies Mercury-only records to the output, up to the first record that must also be in the native
 * view. Sets *record to that record, and *after to the records that follow it. Returns false if
 * there is no such record. */
static bool find_common(struct record_views *views, struct info_record *record, struct bytes *after)
{
    *after = views->mercury;
    while (info_record_next(after, record)) {
        if (!is_mercury_only(record->code))
            return true;
        take_mercury_record(views, record);
        views->mercury = *after;
    }
    return false;
}

static bool is_equal(const struct info_record *a, const struct info_record *b)
{
    return a->value == b->value && (a->format != INFO_FORMAT_SIZED || !a->value ||
                                    !memcmp(a->payload, b->payload, a->value));
}

/* Whether the payloads of the two records have the same symbols. This is required, because an
 * output record stores its symbols only once for both views. */
static bool have_same_symbols(const struct info_record *a, const struct info_record *b)
{
    const struct info_attribute *attribute = info_attribute_find(a->code);
    if (!attribute || attribute->symbols == INFO_SYMBOLS_NO)
        return true;
    size_t size = attribute->symbols == INFO_SYMBOLS_FIRST && a->value > 4 ? 4 : a->value;
    return a->value == b->value && !memcmp(a->payload, b->payload, size);
}

static void take_payloads(const struct record_views *views, const struct info_record *native,
                          const struct info_record *mercury, struct output_record *copy)
{
    link_context *link = views->link;
    if (!views->output)
        return;
    struct view_payloads *payloads = ARENA_NEW(&link->arena, struct view_payloads);
    *payloads = (struct view_payloads){native->payload, mercury->payload, mercury->value};
    copy->views = payloads;
    copy->payload_kind = PAYLOAD_OF_VIEWS;
}

/* Native-only records form the tail. Any other native record is paired with the next Mercury record
 * that both views must have. The views do not correspond if these two records have different
 * attribute codes. But if the release does not know the code of the native record, only this record
 * is left out. */
enum record_pairing record_views_pair(struct record_views *views, const struct info_record *native,
                                      struct output_record *copy)
{
    if (is_native_only(views->link, native->code)) {
        copy->only = IN_NATIVE;
        return RECORD_IN_TAIL;
    }
    struct info_record mercury;
    struct bytes after;
    bool is_common = find_common(views, &mercury, &after) && mercury.code == native->code;
    if (!is_common && !link_attribute(views->link, native->code))
        return RECORD_LEFT_OUT;
    views->mercury = after;
    views->has_isa_version |= native->code == EIATTR_MERCURY_ISA_VERSION;
    if (!is_common || mercury.format != native->format) {
        views->failed = true;
    } else if (native->format == INFO_FORMAT_SIZED && !is_equal(native, &mercury)) {
        views->failed |= !have_same_symbols(native, &mercury);
        take_payloads(views, native, &mercury, copy);
    }
    return RECORD_IN_BOTH;
}

/* Adds the MERCURY_ISA_VERSION record if the input has none, as in objects of ptxas 12.8 and 12.9
 * (observed). */
static void add_isa_version(struct record_views *views)
{
    enum { FIRST_VERSION = 0x100 };
    link_context *link = views->link;
    *ARENA_APPEND(&link->arena, views->output, records) =
        (struct output_record){.object = views->object->position,
                               .value = FIRST_VERSION,
                               .format = INFO_FORMAT_HALF,
                               .code = EIATTR_MERCURY_ISA_VERSION};
}

void record_views_finish(struct record_views *views)
{
    struct info_record record;
    struct bytes after;
    if (!views->paired)
        return;
    views->failed |= find_common(views, &record, &after);
    if (views->output && views->output->owner && !views->has_isa_version)
        add_isa_version(views);
    if (views->failed)
        diagnostic_report(&views->link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, views->object->name,
                          NULL, views->object->name, views->input->name);
}
