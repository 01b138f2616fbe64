/* The part of the cache in this program's memory; see cache_memory.h. */
#include "compile/cache_memory.h"

#include <stdlib.h>
#include <string.h>

struct cache_memory_entry {
    struct cache_memory_entry *next; /* in the bucket */
    struct cache_memory_entry *newer, *older;
    uint64_t digest[2];
    struct bytes record;
};

static struct cache_memory_entry **bucket_of(struct cache_memory *memory, const uint64_t *digest)
{
    return &memory->buckets[digest[0] % CACHE_MEMORY_BUCKETS];
}

static void unlink_use(struct cache_memory *memory, struct cache_memory_entry *entry)
{
    *(entry->newer ? &entry->newer->older : &memory->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &memory->oldest) = entry->newer;
}

static void link_newest(struct cache_memory *memory, struct cache_memory_entry *entry)
{
    entry->newer = NULL;
    entry->older = memory->newest;
    *(memory->newest ? &memory->newest->newer : &memory->oldest) = entry;
    memory->newest = entry;
}

struct bytes cache_memory_find(struct cache_memory *memory, const struct cache_key *key,
                               struct cache_parts *parts)
{
    for (struct cache_memory_entry *entry = *bucket_of(memory, key->digest); entry;
         entry = entry->next) {
        if (memcmp(entry->digest, key->digest, sizeof entry->digest) != 0 ||
            !cache_record_matches(entry->record, key, parts))
            continue;
        unlink_use(memory, entry);
        link_newest(memory, entry);
        return entry->record;
    }
    return (struct bytes){NULL, 0};
}

/* Removes the entry that was used least recently. */
static void remove_oldest(struct cache_memory *memory)
{
    struct cache_memory_entry *entry = memory->oldest;
    struct cache_memory_entry **link = bucket_of(memory, entry->digest);
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    memory->oldest = entry->newer;
    *(entry->newer ? &entry->newer->older : &memory->newest) = NULL;
    memory->size -= entry->record.size;
    free((void *)entry->record.data);
    free(entry);
}

void cache_memory_add(struct cache_memory *memory, const struct cache_key *key, struct bytes record)
{
    struct cache_parts parts;
    bool is_wanted = record.size <= memory->limit && !cache_memory_find(memory, key, &parts).data;
    struct cache_memory_entry *entry = is_wanted ? calloc(1, sizeof *entry) : NULL;
    if (!entry) {
        free((void *)record.data);
        return;
    }
    while (memory->size > memory->limit - record.size)
        remove_oldest(memory);
    struct cache_memory_entry **bucket = bucket_of(memory, key->digest);
    memcpy(entry->digest, key->digest, sizeof entry->digest);
    entry->record = record;
    entry->next = *bucket;
    *bucket = entry;
    memory->size += record.size;
    link_newest(memory, entry);
}

void cache_memory_clear(struct cache_memory *memory)
{
    while (memory->oldest)
        remove_oldest(memory);
}
