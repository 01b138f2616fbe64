/* The containers around a file of an input: fat binaries, archives and host objects, which may be
 * nested. If a file grows, the sizes in the containers around it must grow, too; otherwise no
 * reader would reach the file. */
#ifndef WARPLD_FUZZ_ENCLOSING_H
#define WARPLD_FUZZ_ENCLOSING_H

#include "mutation.h"

/* A part of a container: the payload of an entry, or the contents of a member. */
struct part {
    size_t header; /* offset of the part's header in the input */
    size_t start;
    size_t end;
};

/* Finds the part of a fat binary or an archive that begins at `offset` or, in an archive, after a
 * byte of padding there. `offset` is the end of the previous part or, for the first part, of the
 * container's header. The caller must check that it is before the end of the container. Returns
 * false if the part is not completely in the input. */
bool next_part(const struct fuzz_input *input, enum input_kind kind, size_t offset,
               struct part *part);

/* The offset of a container's first part. */
size_t first_part(const struct fuzz_input *input, size_t container, enum input_kind kind);

/* The end of the container, at most the end of the input. A fat binary ends where its header says,
 * a host object after its section headers, an archive with the input. */
size_t container_end(const struct fuzz_input *input, size_t container, enum input_kind kind);

/* The end of the innermost part that contains `offset`, if it is before `end`; otherwise `end`. */
size_t part_end(const struct fuzz_input *input, size_t offset, size_t end);

/* Adds `growth` to the sizes in the containers around the offset `inside`. Call it before that many
 * bytes are inserted at `changed` or, if `growth` is negative, removed there. */
void resize_containers(struct fuzz_input *input, size_t inside, size_t changed, int64_t growth);

/* Adds `growth` to the size in the header of a fat binary. The header of an archive has no size. */
void resize_content(struct fuzz_input *input, size_t container, enum input_kind kind,
                    int64_t growth);

/* Adds `growth` to the size of a part, and to that of its container. */
void resize_part(struct fuzz_input *input, size_t container, enum input_kind kind,
                 const struct part *part, int64_t growth);

/* Writes a number of an archive's header: decimal, padded with blanks. */
void write_decimal(uint8_t *text, unsigned width, uint64_t number);

enum { ARCHIVE_MAGIC = 8, MEMBER_HEADER = 60, MEMBER_SIZE_AT = 48, MEMBER_SIZE_WIDTH = 10 };

#endif
