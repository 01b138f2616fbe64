/* What the mutators of the fuzz targets share: random values, fields of tables, and the files that
 * an input contains.
 *
 * An input is a concatenation of files, or a container with files inside. A mutation chooses one of
 * the files and decodes it just far enough to find its fields. All functions accept any input. */
#ifndef WARPLD_FUZZ_MUTATION_H
#define WARPLD_FUZZ_MUTATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum input_kind {
    INPUT_UNKNOWN,
    INPUT_DEVICE_ELF, /* an ELF whose machine is not one of the CPUs of host objects */
    INPUT_HOST_ELF,
    INPUT_FAT_BINARY,
    INPUT_ARCHIVE,
    INPUT_INDEX, /* of unified tables */
    INPUT_PTX,
    INPUT_KINDS,
};

struct fuzz_input {
    uint8_t *data; /* all files */
    size_t size;
    size_t max_size;
    uint64_t random;
    enum input_kind kind; /* of the chosen file */
    size_t start;         /* of the chosen file */
    size_t end;
};

/* Entries of one size, inside the input. */
struct table {
    uint8_t *bytes;
    uint64_t entry_size;
    uint64_t count;
};

/* A field of an entry. */
struct field {
    uint8_t offset;
    uint8_t width;
};

/* Read and write a little-endian field of up to 8 bytes. */
uint64_t load_field(const uint8_t *bytes, unsigned width);
void store_field(uint8_t *bytes, unsigned width, uint64_t value);

/* The kind of the file that begins with these bytes. */
enum input_kind kind_of(struct bytes file);

/* A random number below `limit`; 0 if `limit` is 0. */
uint64_t draw(struct fuzz_input *input, uint64_t limit);

/* At most this number of files of an input are found. */
enum { MOST_FILES = 32 };

/* Finds the offsets of the files in the input. Returns their number. */
size_t find_files(const struct fuzz_input *input, size_t starts[MOST_FILES]);

/* Chooses the file with index `chosen` of the files that find_files found. */
void select_file(struct fuzz_input *input, const size_t starts[MOST_FILES], size_t count,
                 size_t chosen);

/* Chooses one of the files of the input at random. */
void choose_file(struct fuzz_input *input);

struct bytes chosen_file(const struct fuzz_input *input);

/* A table in the chosen file. Its count is 0 if the table is not completely in the file. */
struct table table_at(struct fuzz_input *input, uint64_t offset, uint64_t size,
                      uint64_t entry_size);

uint8_t *entry_at(const struct table *table, uint64_t index);

/* The section headers of the chosen ELF file. */
struct table section_table(struct fuzz_input *input);

/* The contents of the section with this header, as entries of this size. */
struct table contents_of(struct fuzz_input *input, const uint8_t *header, uint64_t entry_size);

/* Changes a random field of a random entry. */
void patch_any_field(struct fuzz_input *input, const struct table *table,
                     const struct field *fields, size_t count);

#define PATCH_ANY(input, table, fields)                                                            \
    patch_any_field((input), (table), (fields), sizeof(fields) / sizeof *(fields))

/* Overwrites one entry with another, or swaps the two. An entry has at most 64 bytes. */
void copy_entry(struct fuzz_input *input, const struct table *table);

/* Changes one bit of the bytes from `start` to `end`, which are offsets in the input. */
void flip_bit(struct fuzz_input *input, size_t start, size_t end);

/* Inserts zeros into the chosen file. Returns false if there is no space for them. Adjusts the
 * sizes in the containers around the file, but not the size in the file's own header. */
bool insert_bytes(struct fuzz_input *input, size_t offset, size_t size);

/* Removes bytes of the chosen file in the same way. */
void remove_bytes(struct fuzz_input *input, size_t offset, size_t size);

/* Each changes the chosen file, which must be of the kind that the function's name says. */
void mutate_elf(struct fuzz_input *input);
void mutate_host_elf(struct fuzz_input *input);
void mutate_fat_binary(struct fuzz_input *input);
void mutate_archive(struct fuzz_input *input);
void mutate_index(struct fuzz_input *input);
void mutate_ptx(struct fuzz_input *input);

#endif
