/* Attribute sections of the output: the inputs' records in reverse, then the linker's own. */
#ifndef WARPLD_LINK_MODEL_RECORDS_H
#define WARPLD_LINK_MODEL_RECORDS_H

#include "link/model/link_context.h"
#include "link/model/output.h"
#include "link/model/symbols.h"

/* Record `position` - 1 of a section's inputs' records; NULL for position 0. */
struct output_record *record_at(struct output_section *section, uint32_t position);

/* Adds a record behind those of the inputs; its address holds until the next. */
struct output_record *record_append(link_context *link, struct output_section *section,
                                    struct output_record record);

/* Changes one word of a record's payload, which must have it. */
void record_set_word(link_context *link, struct output_record *record, size_t word, uint32_t value);

/* Adds a record about a function, whose code tells so: its symbol and a word. */
void record_append_about(link_context *link, struct output_section *section, uint8_t code,
                         const struct symbol *symbol, uint32_t value);

uint64_t records_size(const struct output_section *section);

/* Writes all records; needs the symbol indices. Returns the end. */
uint8_t *records_write(const link_context *link, const struct output_section *section,
                       uint8_t *place);

#endif
