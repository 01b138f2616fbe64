/* Marks bytes that a library without MemorySanitizer has written, so that MemorySanitizer (make
 * check-msan) knows that they are initialised. Does nothing in other builds. */
#ifndef WARPLD_BASE_MARK_WRITTEN_H
#define WARPLD_BASE_MARK_WRITTEN_H

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define MARK_WRITTEN(bytes, size) __msan_unpoison((bytes), (size))
#endif
#endif
#ifndef MARK_WRITTEN
#define MARK_WRITTEN(bytes, size) ((void)(bytes), (void)(size))
#endif

static inline void mark_written(const void *bytes, size_t size)
{
    MARK_WRITTEN(bytes, size);
}

#endif
