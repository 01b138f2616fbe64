/* Attribute sections of the output: the records of the inputs in reverse order (with -r in reading
 * order), followed by the records that the linker adds. */
#ifndef WARPLD_LINK_MODEL_RECORDS_H
#define WARPLD_LINK_MODEL_RECORDS_H

#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Returns the input record at index `position` - 1 of the section; NULL for position 0. */
struct output_record *record_at(struct output_section *section, uint32_t position);

/* Adds a record after those of the inputs. The pointer that it returns is valid until the next call
 * for the section. */
struct output_record *record_append(link_context *link, struct output_section *section,
                                    struct output_record record);

/* Changes one word of a record's payload. The payload must be long enough. */
void record_set_word(link_context *link, struct output_record *record, size_t word, uint32_t value);

/* Adds a record with this attribute code. Its payload is a function's symbol and a word. */
void record_append_about(link_context *link, struct output_section *section, uint8_t code,
                         const struct symbol *symbol, uint32_t value);

uint64_t records_size(const struct output_section *section);

/* Writes all records of the section; the symbol indices must be assigned. Returns the end. */
uint8_t *records_write(const link_context *link, const struct output_section *section,
                       uint8_t *out);

#endif
