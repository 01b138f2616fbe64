/* Fat binaries of linked code; see fatbin_writer.h. The fields were found by comparing what
 * fatbinary 13.0.88 writes for each target, mode of compression and option. */
#include "hostobject/fatbin_writer.h"

#include <limits.h>
#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include "format/container/fatbin.h"
#include "format/elf.h"

/* Offsets in the headers; those that the reader needs are in fatbin.c, too. */
enum { CONTAINER_HEADER_SIZE = 16, CONTAINER_VERSION = 1, CONTAINER_CONTENT = 8 };
enum {
    IMAGE_KIND = 0x00,
    IMAGE_VERSION = 0x02,
    IMAGE_HEADER_SIZE = 0x04,
    IMAGE_PAYLOAD_SIZE = 0x08,
    IMAGE_PACKED_SIZE = 0x10,
    IMAGE_OPTIONS = 0x14,
    IMAGE_MINOR = 0x18,
    IMAGE_MAJOR = 0x1a,
    IMAGE_SM = 0x1c,
    IMAGE_IDENTIFIER = 0x20,
    IMAGE_IDENTIFIER_SIZE = 0x24,
    IMAGE_FLAGS = 0x28,
    IMAGE_UNPACKED_SIZE = 0x38,
    IMAGE_FIXED_SIZE = 0x40,
};
enum { VERSION_OF_IMAGES = 0x101, MAJOR_OF_CUBINS = 1 };
enum { FLAG_CUBIN = 0x10, FLAG_REQUIREMENTS = 0x1000000 };

/* --------------------------------------------------------------------------------------------- */
/* What a cubin requires of the hardware                                                         */

/* Offsets in the header of an ELF, and of a section. */
enum { ELF_SECTIONS = 0x28, ELF_SECTION_COUNT = 0x3c, ELF_NAMES = 0x3e, SECTION_HEADER_SIZE = 64 };
enum { SECTION_NAME = 0, SECTION_OFFSET = 24, SECTION_SIZE = 32 };

static bool section_contents(struct bytes file, uint64_t index, struct bytes *name,
                             struct bytes *contents)
{
    struct bytes header;
    uint64_t table = load_u64(file.data + ELF_SECTIONS);
    if (!bytes_part(file, table + index * SECTION_HEADER_SIZE, SECTION_HEADER_SIZE, &header))
        return false;
    *name = (struct bytes){header.data + SECTION_NAME, 4};
    return bytes_part(file, load_u64(header.data + SECTION_OFFSET),
                      load_u64(header.data + SECTION_SIZE), contents);
}

/* The contents of .nv.compat, which fat binaries repeat for targets with Mercury code. */
static struct bytes requirements_of(struct bytes cubin)
{
    static const char NAME[] = ".nv.compat";
    struct bytes name, names, contents, found;
    uint64_t count = load_u16(cubin.data + ELF_SECTION_COUNT);
    if (!section_contents(cubin, load_u16(cubin.data + ELF_NAMES), &name, &names))
        return (struct bytes){NULL, 0};
    for (uint64_t i = 1; i < count; i++)
        if (section_contents(cubin, i, &name, &contents) &&
            bytes_part(names, load_u32(name.data), sizeof NAME, &found) &&
            !memcmp(found.data, NAME, sizeof NAME))
            return contents;
    return (struct bytes){NULL, 0};
}

/* --------------------------------------------------------------------------------------------- */
/* Payloads                                                                                      */

static uint64_t compression_flag(const struct fatbin_image *image)
{
    bool is_wanted = image->is_debug || image->compresses || image->compression == COMPRESSION_SIZE;
    if (!is_wanted || image->compression == COMPRESSION_NONE)
        return 0;
    return image->compression == COMPRESSION_SPEED ? FATBIN_LZ4 : FATBIN_ZSTANDARD;
}

/* Returns the size; 0 if it failed. */
static size_t compress_zstandard(uint8_t *out, size_t capacity, struct bytes cubin, bool smallest)
{
    int level = smallest ? ZSTD_maxCLevel() : ZSTD_CLEVEL_DEFAULT;
    size_t size = ZSTD_compress(out, capacity, cubin.data, (size_t)cubin.size, level);
    return ZSTD_isError(size) ? 0 : size;
}

static size_t compress_lz4(uint8_t *out, size_t capacity, struct bytes cubin)
{
    return (size_t)LZ4_compress_default((const char *)cubin.data, (char *)out, (int)cubin.size,
                                        (int)capacity);
}

static struct bytes compress(struct arena *arena, const struct fatbin_image *image, uint64_t flag)
{
    bool is_lz4 = flag == FATBIN_LZ4;
    struct bytes cubin = image->cubin;
    if (is_lz4 && cubin.size > LZ4_MAX_INPUT_SIZE)
        return (struct bytes){NULL, 0};
    size_t capacity =
        is_lz4 ? (size_t)LZ4_compressBound((int)cubin.size) : ZSTD_compressBound(cubin.size);
    uint8_t *out = arena_alloc(arena, capacity);
    size_t size =
        is_lz4 ? compress_lz4(out, capacity, cubin)
               : compress_zstandard(out, capacity, cubin, image->compression == COMPRESSION_SIZE);
    return size && size <= UINT32_MAX ? (struct bytes){out, size} : (struct bytes){NULL, 0};
}

/* --------------------------------------------------------------------------------------------- */
/* Headers                                                                                       */

static uint64_t flags_of(const struct fatbin_image *image)
{
    static const uint64_t SUFFIXES[] = {
        [SUFFIX_PLAIN] = 0,
        [SUFFIX_ACCELERATED] = FATBIN_ACCELERATED,
        [SUFFIX_FAMILY] = FATBIN_FAMILY,
    };
    return FATBIN_64BIT | FLAG_CUBIN | (image->is_debug ? FATBIN_DEBUG : 0) |
           SUFFIXES[image->target->suffix];
}

/* The header with its texts: the identifier, then a record of the options, which are empty, and the
 * requirements. */
static struct bytes make_header(struct arena *arena, const struct fatbin_image *image)
{
    size_t text = strlen(image->identifier);
    bool has_requirements = image->target->code == CODE_MERCURY;
    struct bytes requirements = {NULL, 0};
    if (has_requirements)
        requirements = requirements_of(image->cubin);
    uint64_t record = IMAGE_FIXED_SIZE + (text ? align_up(text + 1, FATBIN_ALIGNMENT) : 0);
    uint64_t size =
        has_requirements ? align_up(record + 8 + 1 + requirements.size, FATBIN_ALIGNMENT) : record;
    uint8_t *header = arena_alloc(arena, size);
    if (text) {
        memcpy(header + IMAGE_FIXED_SIZE, image->identifier, text);
        store_u32(header + IMAGE_IDENTIFIER, IMAGE_FIXED_SIZE);
        store_u32(header + IMAGE_IDENTIFIER_SIZE, (uint32_t)text);
    }
    if (has_requirements) {
        store_u32(header + IMAGE_OPTIONS, (uint32_t)record);
        store_u32(header + record, (uint32_t)record + 8);
        store_u32(header + record + 4, (uint32_t)requirements.size);
        if (requirements.size)
            memcpy(header + record + 8 + 1, requirements.data, requirements.size);
    }
    return (struct bytes){header, size};
}

static void fill_header(uint8_t *header, uint64_t size, const struct fatbin_image *image,
                        struct bytes payload, uint64_t compression)
{
    uint64_t flags = flags_of(image) | compression;
    if (image->target->code == CODE_MERCURY)
        flags |= FLAG_REQUIREMENTS;
    store_u16(header + IMAGE_KIND, FATBIN_ELF);
    store_u16(header + IMAGE_VERSION, VERSION_OF_IMAGES);
    store_u32(header + IMAGE_HEADER_SIZE, (uint32_t)size);
    store_u64(header + IMAGE_PAYLOAD_SIZE, align_up(payload.size, FATBIN_ALIGNMENT));
    store_u16(header + IMAGE_MINOR, image->cubin.data[EI_ABIVERSION]);
    store_u16(header + IMAGE_MAJOR, MAJOR_OF_CUBINS);
    store_u32(header + IMAGE_SM, image->target->number);
    store_u64(header + IMAGE_FLAGS, flags);
    if (compression) {
        store_u32(header + IMAGE_PACKED_SIZE, (uint32_t)payload.size);
        store_u64(header + IMAGE_UNPACKED_SIZE, image->cubin.size);
    }
}

struct packed_image fatbin_pack(struct arena *arena, const struct fatbin_image *image)
{
    uint64_t compression = compression_flag(image);
    struct bytes payload = compression ? compress(arena, image, compression) : image->cubin;
    if (!payload.data)
        return (struct packed_image){.header = {NULL, 0}};
    struct bytes header = make_header(arena, image);
    fill_header((uint8_t *)header.data, header.size, image, payload, compression);
    return (struct packed_image){header, payload};
}

void fatbin_add(struct pieces *pieces, const struct packed_image *images, size_t count)
{
    uint8_t *header = arena_alloc(pieces->arena, CONTAINER_HEADER_SIZE);
    pieces_add(pieces, (struct bytes){header, CONTAINER_HEADER_SIZE});
    uint64_t start = pieces->size;
    for (size_t i = 0; i < count; i++) {
        pieces_add(pieces, images[i].header);
        pieces_add(pieces, images[i].payload);
        pieces_align(pieces, FATBIN_ALIGNMENT);
    }
    store_u32(header, FATBIN_MAGIC);
    store_u16(header + 4, CONTAINER_VERSION);
    store_u16(header + 6, CONTAINER_HEADER_SIZE);
    store_u64(header + CONTAINER_CONTENT, pieces->size - start);
}
