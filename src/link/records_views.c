/* Attributes of the two views, read in step; see records_views.h. */
#include "link/records_views.h"

#include <string.h>

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

static bool is_of_native_tail(uint8_t code)
{
    return code == EIATTR_CBANK_PARAM_SIZE || code == EIATTR_PARAM_CBANK || code == EIATTR_SW_WAR;
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
    *ARENA_APPEND(ARENA, views->output, records) = (struct output_record){
        .payload = record->payload,
        .object = views->object,
        .value = record->value,
        .format = record->format,
        .code = record->code,
        .only = IN_MERCURY,
    };
}

/* Mercury records up to the next that the native view must have too. */
static bool next_common(struct record_views *views, struct info_record *record)
{
    while (info_record_next(&views->mercury, record)) {
        if (!is_of_mercury_only(record->code))
            return true;
        take_mercury_record(views, record);
    }
    return false;
}

static bool is_equal(const struct info_record *a, const struct info_record *b)
{
    return a->value == b->value && (a->format != INFO_FORMAT_SIZED || !a->value ||
                                    !memcmp(a->payload, b->payload, a->value));
}

bool record_views_pair(struct record_views *views, const struct info_record *native,
                       struct output_record *copy)
{
    if (is_of_native_tail(native->code)) {
        copy->only = IN_NATIVE;
        return true;
    }
    struct info_record mercury;
    if (!next_common(views, &mercury) || mercury.code != native->code ||
        mercury.format != native->format) {
        views->failed = true;
    } else if (native->format == INFO_FORMAT_SIZED && !is_equal(native, &mercury)) {
        copy->mercury_payload = mercury.payload;
        copy->mercury_size = mercury.value;
    }
    return false;
}

void record_views_finish(struct record_views *views)
{
    struct info_record record;
    if (views->paired && next_common(views, &record))
        views->failed = true;
    if (views->failed)
        diagnostic_report(&views->link->diagnostics, DIAGNOSTIC_VIEWS_DIFFER, views->object->name,
                          NULL, views->object->name, views->input->name);
}
