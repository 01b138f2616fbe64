/* Unpacks and checks images on several threads; see prepare_images.h. */
#include "link/image/prepare_images.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/parallel.h"
#include "base/scale.h"
#include "format/container/fatbin.h"
#include "link/image/choose_images.h"
#include "link/input/shared_inputs.h"
#include "link/input/worker_arenas.h"
#include "link/model/input_file.h"
#include "link/model/input_object.h"

enum { BATCH_SIZE = 16, MANY_UNITS = LARGE_FROM(64, 1) };

/* The state of one thread. The arena holds the images that the thread makes. */
struct preparer {
    struct arena *arena;
    size_t reserved_before; /* bytes of the arena before the first image */
    struct fatbin_unpacker unpacker;
    jmp_buf exhausted;
};

struct preparation {
    const link_context *link;
    struct preparer *preparers;
};

static void leave_prepared(void *owner)
{
    struct preparer *preparer = owner;
    longjmp(preparer->exhausted, 1);
}

/* Whether to prepare the image of this unit. With LTO nothing is prepared, because LTO-IR may be
 * chosen instead of machine code. */
static bool is_worth_it(const link_context *link, const struct input_unit *unit)
{
    return unit->kind == UNIT_FATBIN && !unit->shared && !unit->prepared && !unit->skipped &&
           !link->options.optimise;
}

static void prepare_unit(const link_context *link, struct preparer *preparer,
                         struct input_unit *unit)
{
    struct fatbin_entry entry;
    if (!is_worth_it(link, unit) || !find_code(link, unit->contents, &entry))
        return;
    const struct shared_image *image =
        make_image(preparer->arena, &preparer->unpacker, unit, &entry);
    if (image && image->view)
        unit->prepared = image;
}

/* If the worker's memory runs out, the rest of the batch remains unprepared. The link opens these
 * images later, in its own memory, as it does without threads. If that memory runs out, too, the
 * link fails. */
static void prepare_batch(void *context, unsigned worker, size_t batch)
{
    struct preparation *preparation = context;
    const link_context *link = preparation->link;
    struct preparer *preparer = &preparation->preparers[worker];
    if (setjmp(preparer->exhausted))
        return;
    size_t first = batch * BATCH_SIZE;
    for (size_t i = first; i < first + BATCH_SIZE && i < link->units_count; i++)
        prepare_unit(link, preparer, link->units[i]);
}

/* Gives each thread an arena. All arenas together may take what is left of the link's memory
 * limit. */
static void start_preparers(link_context *link, struct preparer *preparers, unsigned workers)
{
    size_t limit = link->arena.limit, used = link->arena.reserved;
    for (unsigned i = 0; i < workers; i++) {
        struct arena *arena = worker_arena(link, i, leave_prepared, &preparers[i]);
        preparers[i].arena = arena;
        preparers[i].reserved_before = arena->reserved;
    }
    worker_arenas_allow(link, limit > used ? limit - used : 0);
}

/* Lowers the link's memory limit by the memory that the images take in the threads' arenas. */
static void end_preparers(link_context *link, struct preparer *preparers, unsigned workers)
{
    for (unsigned i = 0; i < workers; i++) {
        link->arena.limit -= preparers[i].arena->reserved - preparers[i].reserved_before;
        fatbin_unpacker_destroy(&preparers[i].unpacker);
    }
}

void prepare_images(link_context *link)
{
    unsigned workers = link_workers(link, link->units_count / MANY_UNITS);
    if (workers < 2 || link->target_is_virtual)
        return;
    struct preparation preparation = {
        .link = link, .preparers = ARENA_ARRAY(&link->arena, struct preparer, workers)};
    start_preparers(link, preparation.preparers, workers);
    parallel_for(workers, (link->units_count + BATCH_SIZE - 1) / BATCH_SIZE, prepare_batch,
                 &preparation);
    end_preparers(link, preparation.preparers, workers);
}
