/* Attributes of the two views, read in step; see records_views.h. */
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

static bool is_of_native_tail(const link_context *link, uint8_t code)
{
    return code == EIATTR_CBANK_PARAM_SIZE || code == EIATTR_PARAM_CBANK || code == EIATTR_SW_WAR ||
           ((code == EIATTR_NVSAL_SW_WAR || code == EIATTR_PREEXIT_USED) &&
            link_attribute(link, code));
}

static bool is_of_mercury_only(uint8_t code)
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

/* Mercury records up to the next that the native view must have too; *behind receives what comes
 * behind that one. */
static bool find_common(struct record_views *views, struct info_record *record,
                        struct bytes *behind)
{
    *behind = views->mercury;
    while (info_record_next(behind, record)) {
        if (!is_of_mercury_only(record->code))
            return true;
        take_mercury_record(views, record);
        views->mercury = *behind;
    }
    return false;
}

static bool is_equal(const struct info_record *a, const struct info_record *b)
{
    return a->value == b->value && (a->format != INFO_FORMAT_SIZED || !a->value ||
                                    !memcmp(a->payload, b->payload, a->value));
}

/* What is a symbol in a payload must be the same one in both: the output's is written once. */
static bool name_the_same(const struct info_record *a, const struct info_record *b)
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

enum record_place record_views_pair(struct record_views *views, const struct info_record *native,
                                    struct output_record *copy)
{
    if (is_of_native_tail(views->link, native->code)) {
        copy->only = IN_NATIVE;
        return RECORD_OF_TAIL;
    }
    struct info_record mercury;
    struct bytes behind;
    bool is_common = find_common(views, &mercury, &behind) && mercury.code == native->code;
    if (!is_common && !link_attribute(views->link, native->code))
        return RECORD_LEFT_OUT;
    views->mercury = behind;
    views->has_isa_version |= native->code == EIATTR_MERCURY_ISA_VERSION;
    if (!is_common || mercury.format != native->format) {
        views->failed = true;
    } else if (native->format == INFO_FORMAT_SIZED && !is_equal(native, &mercury)) {
        views->failed |= !name_the_same(native, &mercury);
        take_payloads(views, native, &mercury, copy);
    }
    return RECORD_OF_BOTH;
}

/* ptxas 12.8 and 12.9 do not write it (observed). */
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
    struct bytes behind;
    if (!views->paired)
        return;
    views->failed |= find_common(views, &record, &behind);
    if (views->output && views->output->owner && !views->has_isa_version)
        add_isa_version(views);
    if (views->failed)
        diagnostic_report(&views->link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, views->object->name,
                          NULL, views->object->name, views->input->name);
}
