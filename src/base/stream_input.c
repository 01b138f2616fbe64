/* Reads inputs that cannot be mapped; see stream_input.h. */
#include "base/stream_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_CAPACITY = 64 << 10 };

static bool is_stream(const char *path)
{
    struct stat status;
    return !stat(path, &status) && (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode));
}

static ssize_t read_part(int descriptor, uint8_t *buffer, size_t size)
{
    ssize_t part;
    do
        part = read(descriptor, buffer, size);
    while (part < 0 && errno == EINTR);
    return part;
}

static uint8_t *enlarge(struct arena *arena, struct bytes contents)
{
    uint8_t *larger = ARENA_ARRAY(arena, uint8_t, 2 * contents.size);
    memcpy(larger, contents.data, (size_t)contents.size);
    return larger;
}

/* Reads until the end of the stream, or until the judge refuses it. The judge is called whenever
 * the buffer is full. */
static bool read_all(struct arena *arena, int descriptor, stream_judge *judge,
                     struct stream_input *input)
{
    size_t capacity = FIRST_CAPACITY, size = 0;
    uint8_t *buffer = ARENA_ARRAY(arena, uint8_t, capacity);
    for (ssize_t part; (part = read_part(descriptor, buffer + size, capacity - size)) != 0;) {
        if (part < 0)
            return false;
        size += (size_t)part;
        if (size < capacity)
            continue;
        struct bytes full = {buffer, size};
        input->refusal = judge(arena, full);
        if (input->refusal)
            break;
        buffer = enlarge(arena, full);
        capacity *= 2;
    }
    input->contents = (struct bytes){buffer, size};
    return true;
}

bool stream_input_read(struct arena *arena, const char *path, stream_judge *judge,
                       struct stream_input *input)
{
    bool is_standard = !strcmp(path, "-");
    *input = (struct stream_input){.refusal = NULL};
    if (!is_standard && !is_stream(path))
        return false;
    int descriptor = is_standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return false;
    bool is_read = read_all(arena, descriptor, judge, input);
    if (!is_standard)
        close(descriptor);
    return is_read;
}

const char *stream_input_problem(struct arena *arena, const char *path,
                                 const struct stream_input *input)
{
    return arena_format(arena, "Stopped reading '%s' after %" PRIu64 " KiB: %s", path,
                        input->contents.size >> 10, input->refusal);
}
