/* Fat binaries; see fatbin.h. */
#include "format/container/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include "format/container/fatbin_layout.h"

bool fatbin_recognise(struct bytes file)
{
    return file.size >= 4 && load_u32(file.data) == FATBIN_MAGIC;
}

static bool fail(struct fatbin *fatbin, const char *problem)
{
    fatbin->problem = problem;
    fatbin->rest.size = fatbin->after.size = 0;
    return false;
}

/* Opens the container at the start of `file`. Refuses a container if its header states a larger
 * size than the file has. nvlink 13.0.88 reads beyond the end of such a file: depending on the
 * stated size it crashes, runs out of memory or links. */
static bool open_container(struct fatbin *fatbin, struct bytes file)
{
    if (file.size < FATBIN_CONTAINER_SIZE)
        return fail(fatbin, "the header of the fat binary is cut off");
    if (!fatbin_recognise(file))
        return fail(fatbin, "the fat binary does not begin with its magic bytes");
    if (load_u16(file.data + FATBIN_CONTAINER_VERSION) != FATBIN_VERSION)
        return fail(fatbin, "the fat binary has an unknown version");
    uint64_t header = load_u16(file.data + FATBIN_CONTAINER_HEADER_SIZE);
    uint64_t content = load_u64(file.data + FATBIN_CONTAINER_CONTENT_SIZE);
    if (header < FATBIN_CONTAINER_SIZE || header > file.size)
        return fail(fatbin, "the header of the fat binary has an impossible size");
    uint64_t available = file.size - header;
    if (content > available)
        return fail(fatbin, "the fat binary states a larger size than the file has");
    fatbin->container = (struct bytes){file.data, header + content};
    fatbin->rest = (struct bytes){file.data + header, content};
    fatbin->after = (struct bytes){file.data + header + content, available - content};
    return true;
}

void fatbin_open(struct fatbin *fatbin, struct bytes file)
{
    *fatbin = (struct fatbin){.problem = NULL};
    open_container(fatbin, file);
}

static struct bytes skip_padding(struct bytes file)
{
    while (file.size && !*file.data) {
        file.data++;
        file.size--;
    }
    return file;
}

bool fatbin_next_container(struct fatbin *fatbin)
{
    struct bytes file = skip_padding(fatbin->after);
    if (fatbin->problem || !file.size)
        return false;
    if (!fatbin_recognise(file))
        return fail(fatbin, "what follows the fat binary is neither padding nor another one");
    return open_container(fatbin, file);
}

uint64_t fatbin_extent(struct bytes start)
{
    uint64_t end = 0;
    for (struct bytes rest = start; fatbin_recognise(rest);) {
        if (rest.size < FATBIN_CONTAINER_SIZE)
            return UINT64_MAX;
        uint64_t header = load_u16(rest.data + FATBIN_CONTAINER_HEADER_SIZE);
        uint64_t content = load_u64(rest.data + FATBIN_CONTAINER_CONTENT_SIZE);
        if (header < FATBIN_CONTAINER_SIZE)
            return end;
        if (header > rest.size || content > rest.size - header)
            return UINT64_MAX;
        rest = (struct bytes){rest.data + header + content, rest.size - header - content};
        end = (uint64_t)(rest.data - start.data);
        rest = skip_padding(rest);
    }
    return end;
}

/* Returns the text at an offset in the entry's header. The text is empty if the offset is 0, or if
 * a part of the text lies outside the header. */
static struct bytes text_at(struct bytes header, uint64_t offset, uint64_t size)
{
    struct bytes text = {header.data, 0};
    if (offset)
        bytes_part(header, offset, size, &text);
    return text;
}

/* Returns the text of the compiler options. The header has the offset of a record, which has the
 * offset and the length of the text. Both offsets are relative to the start of the entry. */
static struct bytes option_text(struct bytes header)
{
    uint32_t record = load_u32(header.data + FATBIN_ENTRY_OPTIONS);
    struct bytes words = text_at(header, record, FATBIN_RECORD_SIZE);
    if (!words.size)
        return words;
    return text_at(header, load_u32(words.data + FATBIN_RECORD_TEXT),
                   load_u32(words.data + FATBIN_RECORD_TEXT_SIZE));
}

static void read_header(struct fatbin_entry *entry, struct bytes header)
{
    const uint8_t *data = header.data;
    *entry = (struct fatbin_entry){
        .kind = load_u16(data + FATBIN_ENTRY_KIND),
        .sm = load_u32(data + FATBIN_ENTRY_SM),
        .flags = load_u64(data + FATBIN_ENTRY_FLAGS),
        .unpacked_size = load_u64(data + FATBIN_ENTRY_UNPACKED_SIZE),
        .identifier = text_at(header, load_u32(data + FATBIN_ENTRY_IDENTIFIER),
                              load_u32(data + FATBIN_ENTRY_IDENTIFIER_SIZE)),
        .option_text = option_text(header),
        .major = load_u16(data + FATBIN_ENTRY_MAJOR),
        .minor = load_u16(data + FATBIN_ENTRY_MINOR),
    };
}

bool fatbin_next_entry(struct fatbin *fatbin, struct fatbin_entry *entry)
{
    struct bytes rest = fatbin->rest, header, payload;
    if (!rest.size)
        return false;
    if (rest.size < FATBIN_ENTRY_SIZE)
        return fail(fatbin, "an entry of the fat binary is cut off");
    uint64_t header_size = load_u32(rest.data + FATBIN_ENTRY_HEADER_SIZE);
    uint64_t payload_size = load_u64(rest.data + FATBIN_ENTRY_PAYLOAD_SIZE);
    if (header_size < FATBIN_ENTRY_SIZE || !bytes_part(rest, 0, header_size, &header))
        return fail(fatbin, "an entry of the fat binary has a header of impossible size");
    if (!bytes_part(rest, header_size, payload_size, &payload))
        return fail(fatbin, "the contents of an entry reach past the end of the fat binary");
    read_header(entry, header);
    if (!entry->sm || entry->sm > FATBIN_LARGEST_SM)
        return fail(fatbin, "an entry of the fat binary is for an impossible architecture");
    uint64_t packed = load_u32(rest.data + FATBIN_ENTRY_PACKED_SIZE);
    entry->payload = payload;
    if (fatbin_entry_is_packed(entry)) {
        if (packed > payload.size)
            return fail(fatbin, "a packed entry of the fat binary is larger than its payload");
        entry->payload.size = packed;
    }
    fatbin->rest =
        (struct bytes){payload.data + payload.size, rest.size - header_size - payload_size};
    return true;
}

/* The ratios are the largest that the documents of the formats allow: LZ4 encodes at most 255 bytes
 * in one byte, Zstandard 128 KB of a repeated byte in 4 bytes. */
bool fatbin_unpacked_size_is_plausible(const struct fatbin_entry *entry)
{
    enum { LZ4_RATIO = 255, ZSTANDARD_RATIO = 1 << 15, OVERHEAD = 64 };
    if (!entry->unpacked_size)
        return false;
    uint64_t ratio = entry->flags & FATBIN_LZ4 ? LZ4_RATIO : ZSTANDARD_RATIO;
    return entry->unpacked_size / ratio <= entry->payload.size + OVERHEAD &&
           entry->unpacked_size <= SIZE_MAX / 2;
}

static bool unpack_lz4(const struct fatbin_entry *entry, uint8_t *unpacked)
{
    if (entry->payload.size > INT32_MAX || entry->unpacked_size > INT32_MAX)
        return false;
    int size = LZ4_decompress_safe((const char *)entry->payload.data, (char *)unpacked,
                                   (int)entry->payload.size, (int)entry->unpacked_size);
    return size >= 0 && (uint64_t)size == entry->unpacked_size;
}

static bool unpack_zstandard(struct fatbin_unpacker *unpacker, const struct fatbin_entry *entry,
                             uint8_t *unpacked)
{
    if (!unpacker->zstandard)
        unpacker->zstandard = ZSTD_createDCtx();
    if (!unpacker->zstandard)
        return false;
    size_t size = ZSTD_decompressDCtx(unpacker->zstandard, unpacked, (size_t)entry->unpacked_size,
                                      entry->payload.data, (size_t)entry->payload.size);
    return !ZSTD_isError(size) && size == entry->unpacked_size;
}

bool fatbin_unpack(struct fatbin_unpacker *unpacker, const struct fatbin_entry *entry,
                   uint8_t *unpacked)
{
    return entry->flags & FATBIN_LZ4 ? unpack_lz4(entry, unpacked)
                                     : unpack_zstandard(unpacker, entry, unpacked);
}

void fatbin_unpacker_destroy(struct fatbin_unpacker *unpacker)
{
    ZSTD_freeDCtx(unpacker->zstandard);
    unpacker->zstandard = NULL;
}
