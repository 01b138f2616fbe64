/* Fat binaries of linked code; see fatbin_writer.h. */
#include "hostobject/fatbin_writer.h"

#include <limits.h>
#include <lz4.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#include "format/container/fatbin.h"
#include "format/container/fatbin_layout.h"
#include "format/elf.h"
#include "format/elf_view.h"

enum { VERSION_OF_IMAGES = 0x101, MAJOR_OF_CUBINS = 1 };
enum { FLAG_CUBIN = 0x10, FLAG_REQUIREMENTS = 0x1000000 };

/* --------------------------------------------------------------------------------------------- */
/* What a cubin requires of the hardware                                                         */

/* Reads the header of the section with this index. Returns false if the file does not contain that
 * header. */
static bool find_section(struct bytes file, uint64_t index, struct elf_section_header *header)
{
    struct bytes bytes;
    uint64_t offset = load_u64(file.data + E_SHOFF) + index * ELF_SECTION_HEADER_SIZE;
    if (!bytes_part(file, offset, ELF_SECTION_HEADER_SIZE, &bytes))
        return false;
    *header = elf_section_header_at(bytes.data, 0);
    return true;
}

/* Returns the contents of .nv.compat, or no bytes if this section is missing. For Mercury code, the
 * header of an image in a fat binary repeats these contents. */
static struct bytes requirements_of(struct bytes cubin)
{
    static const char NAME[] = ".nv.compat";
    struct elf_section_header null_section, names, section;
    struct bytes name, contents;
    if (!find_section(cubin, 0, &null_section) ||
        !find_section(cubin, elf_names_index(cubin.data, &null_section), &names))
        return (struct bytes){NULL, 0};
    uint64_t count = elf_section_count(cubin.data, &null_section);
    for (uint64_t i = 1; i < count && find_section(cubin, i, &section); i++)
        if (bytes_part(cubin, names.offset + section.name, sizeof NAME, &name) &&
            !memcmp(name.data, NAME, sizeof NAME) &&
            bytes_part(cubin, section.offset, section.size, &contents))
            return contents;
    return (struct bytes){NULL, 0};
}

/* --------------------------------------------------------------------------------------------- */
/* Payloads                                                                                      */

static uint64_t compression_flag(const struct fatbin_image *image)
{
    bool is_wanted = image->is_debug || image->compression == COMPRESSION_SIZE;
    if (!is_wanted || image->compression == COMPRESSION_NONE)
        return 0;
    return image->compression == COMPRESSION_SPEED ? FATBIN_LZ4 : FATBIN_ZSTANDARD;
}

/* Returns the size of the compressed bytes, or 0 on failure. */
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

/* Makes the header of an entry, followed by the identifier of the image. For Mercury code, an
 * options record with an empty text follows, and then the contents of .nv.compat. */
static struct bytes make_header(struct arena *arena, const struct fatbin_image *image)
{
    size_t text = strlen(image->identifier);
    bool has_requirements = image->target->code == CODE_MERCURY;
    struct bytes requirements = {NULL, 0};
    if (has_requirements)
        requirements = requirements_of(image->cubin);
    uint64_t record = FATBIN_ENTRY_SIZE + (text ? align_up(text + 1, FATBIN_ALIGNMENT) : 0);
    uint64_t size = has_requirements ? align_up(record + FATBIN_RECORD_SIZE + 1 + requirements.size,
                                                FATBIN_ALIGNMENT)
                                     : record;
    uint8_t *header = arena_alloc(arena, size);
    if (text) {
        memcpy(header + FATBIN_ENTRY_SIZE, image->identifier, text);
        store_u32(header + FATBIN_ENTRY_IDENTIFIER, FATBIN_ENTRY_SIZE);
        store_u32(header + FATBIN_ENTRY_IDENTIFIER_SIZE, (uint32_t)text);
    }
    if (has_requirements) {
        store_u32(header + FATBIN_ENTRY_OPTIONS, (uint32_t)record);
        store_u32(header + record + FATBIN_RECORD_TEXT, (uint32_t)record + FATBIN_RECORD_SIZE);
        store_u32(header + record + FATBIN_RECORD_TEXT_SIZE, (uint32_t)requirements.size);
        if (requirements.size)
            memcpy(header + record + FATBIN_RECORD_SIZE + 1, requirements.data, requirements.size);
    }
    return (struct bytes){header, size};
}

static void fill_header(uint8_t *header, uint64_t size, const struct fatbin_image *image,
                        struct bytes payload, uint64_t compression)
{
    uint64_t flags = flags_of(image) | compression;
    if (image->target->code == CODE_MERCURY)
        flags |= FLAG_REQUIREMENTS;
    store_u16(header + FATBIN_ENTRY_KIND, FATBIN_ELF);
    store_u16(header + FATBIN_ENTRY_VERSION, VERSION_OF_IMAGES);
    store_u32(header + FATBIN_ENTRY_HEADER_SIZE, (uint32_t)size);
    store_u64(header + FATBIN_ENTRY_PAYLOAD_SIZE, align_up(payload.size, FATBIN_ALIGNMENT));
    store_u16(header + FATBIN_ENTRY_MINOR, image->cubin.data[EI_ABIVERSION]);
    store_u16(header + FATBIN_ENTRY_MAJOR, MAJOR_OF_CUBINS);
    store_u32(header + FATBIN_ENTRY_SM, image->target->number);
    store_u64(header + FATBIN_ENTRY_FLAGS, flags);
    if (compression) {
        store_u32(header + FATBIN_ENTRY_PACKED_SIZE, (uint32_t)payload.size);
        store_u64(header + FATBIN_ENTRY_UNPACKED_SIZE, image->cubin.size);
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
    uint8_t *header = arena_alloc(pieces->arena, FATBIN_CONTAINER_SIZE);
    pieces_add(pieces, (struct bytes){header, FATBIN_CONTAINER_SIZE});
    uint64_t start = pieces->size;
    for (size_t i = 0; i < count; i++) {
        pieces_add(pieces, images[i].header);
        pieces_add(pieces, images[i].payload);
        pieces_align(pieces, FATBIN_ALIGNMENT);
    }
    store_u32(header + FATBIN_CONTAINER_MAGIC, FATBIN_MAGIC);
    store_u16(header + FATBIN_CONTAINER_VERSION, FATBIN_VERSION);
    store_u16(header + FATBIN_CONTAINER_HEADER_SIZE, FATBIN_CONTAINER_SIZE);
    store_u64(header + FATBIN_CONTAINER_CONTENT_SIZE, pieces->size - start);
}
