#include "collector/output/delivery_spill.h"

#include <inttypes.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/log/log.h"
#include "collector/output/delivery_image.h"
#include "collector/spill/inspection.h"

/* Nanoseconds between two writes of the cursor, and with fsync=interval between two syncs. */
#define INTERVAL_NS INT64_C(1000000000)

struct delivery_spill {
    struct spill *spill;
    struct spill_counts before; /* the spill's counts when this delivery_spill opened the spill or
                                 * took it over */
    uint64_t recovered;         /* number of records that were then in the spill */
    /*
     * Number of records that were taken from the spill. When a taken block is left on disk, its
     * records without an outcome are subtracted again.
     */
    uint64_t taken;
    uint64_t unreadable;
    /*
     * Number of records of blocks that were left on disk and whose segment was evicted later, and
     * how many of these records may have been sent.
     */
    uint64_t left_evicted, left_unknown;
    uint8_t *head;  /* buffer for the head of an image that is stored */
    uint8_t *image; /* buffer for an image that is read */
    size_t image_size;
    struct log_limit log;
};

/*
 * Returns how many blocks may be taken at a time: the blocks in flight, the next one, and one that
 * is given up. The result is twice that number, because an acknowledged block still counts as taken
 * until all older blocks are acknowledged.
 */
static size_t window_of(const struct delivery_options *options)
{
    return 2 * ((size_t)options->in_flight + 2);
}

size_t delivery_spill_memory(size_t record_size)
{
    return sizeof(struct delivery_spill) + delivery_image_head_size() +
           delivery_image_size(record_size);
}

/* --- opening and closing the spill ------------------------------------------------------------ */

static void free_all(struct delivery_spill *spill)
{
    free(spill->head);
    free(spill->image);
    free(spill);
}

/* Returns settings without syncs and without a disk reserve, for a spill that is only read. */
static struct spill_settings settings_of(const struct delivery_options *options, size_t record_size,
                                         const char *label)
{
    return (struct spill_settings){
        .label = label,
        .folder = options->spill,
        .size = options->spill_size,
        .image_size = delivery_image_size(record_size),
        .window = window_of(options),
        .sync = SPILL_SYNC_NEVER,
        .sync_interval_ns = INTERVAL_NS,
        .cursor_interval_ns = INTERVAL_NS,
    };
}

int delivery_spill_make(const struct delivery_options *options, size_t record_size,
                        const char *label, struct error *error)
{
    const struct spill_settings settings = settings_of(options, record_size, label);
    struct spill *spill;
    if (spill_open(&settings, &spill, error) != 0)
        return -1;
    return spill_close(spill, error) ? 0 : -1;
}

int delivery_spill_inspect(const struct delivery_options *options, size_t record_size,
                           const char *label, int64_t until_ns, struct spill_inspection *inspection,
                           struct error *error)
{
    const struct spill_settings settings = settings_of(options, record_size, label);
    return spill_inspect(&settings, until_ns, inspection, error);
}

static int open_spill(struct delivery_spill *spill, const struct spill_settings *settings,
                      struct spill *open, struct error *error)
{
    struct spill_counts from = {0};
    if (open != NULL)
        from = spill_counts(open);
    spill->spill = open;
    int result = open == NULL ? spill_open(settings, &spill->spill, error)
                              : spill_change(open, settings, error);
    if (result != 0)
        return -1;
    spill->before = spill_counts(spill->spill);
    if (open == NULL)
        from = spill->before;
    /*
     * The previous delivery_spill has counted the records that were lost or gone before the spill
     * was taken over. This one counts those that spill_change has found to be lost.
     */
    spill->recovered = spill->before.held + spill->before.lost - from.lost - from.gone;
    spill->before.lost = from.lost;
    spill->before.gone = from.gone;
    return 0;
}

int delivery_spill_open(const struct delivery_options *options, const struct file_options *file,
                        const struct disk_reserve *reserve, size_t record_size, const char *label,
                        struct spill *open, struct delivery_spill **out, struct error *error)
{
    static const enum spill_sync syncs[] = {
        [SYNC_NEVER] = SPILL_SYNC_NEVER,
        [SYNC_INTERVAL] = SPILL_SYNC_INTERVAL,
        [SYNC_CLOSE] = SPILL_SYNC_CLOSE,
        [SYNC_ALWAYS] = SPILL_SYNC_ALWAYS,
    };
    struct delivery_spill *spill = calloc(1, sizeof *spill);
    if (spill == NULL)
        return error_no_memory(error);
    struct spill_settings settings = settings_of(options, record_size, label);
    settings.sync = syncs[file->sync];
    settings.reserve = *reserve;
    spill->image_size = settings.image_size;
    spill->head = malloc(delivery_image_head_size());
    spill->image = malloc(spill->image_size);
    bool memory = spill->head != NULL && spill->image != NULL;
    int result = memory ? open_spill(spill, &settings, open, error) : error_no_memory(error);
    if (result != 0) {
        free_all(spill);
        return -1;
    }
    *out = spill;
    return 0;
}

bool delivery_spill_close(struct delivery_spill *spill, struct error *error)
{
    if (spill == NULL)
        return true;
    bool done = spill_close(spill->spill, error);
    free_all(spill);
    return done;
}

struct spill *delivery_spill_release(struct delivery_spill *spill)
{
    if (spill == NULL)
        return NULL;
    struct spill *open = spill->spill;
    free_all(spill);
    return open;
}

/* --- blocks ----------------------------------------------------------------------------------- */

bool delivery_spill_waits(const struct delivery_spill *spill)
{
    const struct delivery_spill_counts counts = delivery_spill_counts(spill);
    return counts.spilled != counts.kept || spill_has_unread(spill->spill);
}

size_t delivery_spill_room(const struct delivery_spill *spill)
{
    return spill_room(spill->spill);
}

static struct spill_block spill_block_of(const struct buffered_block *buffered)
{
    return (struct spill_block){
        .number = buffered->block.first_number,
        .count = (uint32_t)buffered_block_open_records(buffered),
        .layout = DELIVERY_IMAGE_LAYOUT,
    };
}

enum spill_stored delivery_spill_store(struct delivery_spill *spill,
                                       struct buffered_block *buffered, struct error *error)
{
    struct text pieces[DELIVERY_IMAGE_PIECES];
    RULE(!buffered->on_disk, "a block on disk is not stored again");
    const struct spill_block block = spill_block_of(buffered);
    delivery_image_put(buffered, spill->head, pieces);
    return spill_append(spill->spill, &block, pieces, DELIVERY_IMAGE_PIECES, error);
}

/*
 * Marks all records of the block as maybe sent. Used if an earlier attempt may have sent them, or
 * if the next run may find the block on disk and send it.
 */
static void mark_maybe_sent(struct buffered_block *buffered)
{
    for (size_t i = 0; i < buffered->block.count; i++)
        buffered->block.records[i].maybe_sent = true;
}

void delivery_spill_give_up(struct delivery_spill *spill, struct buffered_block *buffered)
{
    if (spill_give_up(spill->spill, buffered->block.first_number))
        mark_maybe_sent(buffered);
}

static void note_taken(struct delivery_spill *spill, struct buffered_block *buffered,
                       uint64_t position, size_t open)
{
    buffered->position = position;
    buffered->open = open;
    buffered->on_disk = true;
    spill->taken += open;
}

enum spill_stored delivery_spill_keep(struct delivery_spill *spill, struct buffered_block *buffered,
                                      struct error *error)
{
    struct text pieces[DELIVERY_IMAGE_PIECES];
    uint64_t position;
    const struct spill_block block = spill_block_of(buffered);
    RULE(!buffered->on_disk, "a block is stored once");
    delivery_image_put(buffered, spill->head, pieces);
    enum spill_stored stored =
        spill_append_read(spill->spill, &block, pieces, DELIVERY_IMAGE_PIECES, &position, error);
    if (stored == SPILL_STORED)
        note_taken(spill, buffered, position, block.count);
    return stored;
}

static bool is_block(struct delivery_spill *spill, enum spill_found found,
                     const struct spill_block *read, struct buffered_block *buffered)
{
    if (found != SPILL_FOUND || read->layout != DELIVERY_IMAGE_LAYOUT ||
        !delivery_image_get(spill->image, read->size, buffered) ||
        buffered_block_open_records(buffered) != read->count)
        return false;
    buffered_block_describe(buffered, read->number);
    buffered->block.epoch = buffered->epoch;
    if (read->again)
        mark_maybe_sent(buffered);
    return true;
}

static void give_unreadable_up(struct delivery_spill *spill, const struct spill_block *read)
{
    uint64_t left_out;
    spill->unreadable += read->count;
    if (log_allowed(&spill->log, &left_out))
        log_line(LOG_WARNING,
                 "spill %s: a block of %" PRIu32 " records is lost: it is too large for this "
                 "configuration, or of another version",
                 spill_folder(spill->spill), read->count);
}

bool delivery_spill_take(struct delivery_spill *spill, struct buffered_block *buffered,
                         struct error *error)
{
    RULE(buffered->state == BLOCK_EMPTY, "a block is read into an empty one");
    error->code = EXIT_CODE_OK;
    for (;;) {
        struct spill_block read;
        enum spill_found found =
            spill_read(spill->spill, spill->image, spill->image_size, &read, error);
        if (found == SPILL_FOUND_NONE || found == SPILL_FOUND_FAILED)
            return false;
        if (is_block(spill, found, &read, buffered)) {
            note_taken(spill, buffered, read.position, read.count);
            return true;
        }
        give_unreadable_up(spill, &read);
        spill_acknowledge(spill->spill, read.position);
    }
}

bool delivery_spill_has(const struct delivery_spill *spill, const struct buffered_block *buffered)
{
    RULE(buffered->on_disk, "the spill knows blocks that are on disk");
    return spill_holds(spill->spill, buffered->position);
}

bool delivery_spill_lacks(const struct delivery_spill *spill, const struct buffered_block *buffered)
{
    return spill_lacks(spill->spill, buffered->position);
}

void delivery_spill_acknowledge(struct delivery_spill *spill, const struct buffered_block *buffered)
{
    RULE(buffered->on_disk, "a block that is acknowledged is on disk");
    spill_acknowledge(spill->spill, buffered->position);
}

/* Returns true if a record of the block may be at the far end. */
static bool was_sent(const struct buffered_block *buffered, size_t open)
{
    bool sent = open != buffered->open;
    for (size_t i = 0; i < buffered->block.count; i++)
        sent |= buffered->block.records[i].maybe_sent;
    return sent;
}

void delivery_spill_leave(struct delivery_spill *spill, const struct buffered_block *buffered,
                          size_t open)
{
    RULE(buffered->on_disk && open <= buffered->open && open <= spill->taken,
         "a block that is left on disk was taken from there");
    spill->taken -= open;
    if (was_sent(buffered, open))
        spill_note_sent(spill->spill, buffered->position);
}

void delivery_spill_lose_left(struct delivery_spill *spill, size_t open, size_t maybe_sent)
{
    RULE(open != 0 && maybe_sent <= open, "a block that was left has open records");
    spill->left_evicted += open;
    spill->left_unknown += maybe_sent;
}

void delivery_spill_kept_label(struct delivery_spill *spill, char *label)
{
    spill_kept_label(spill->spill, label);
}

bool delivery_spill_evict(struct delivery_spill *spill, struct error *error)
{
    uint64_t records;
    return spill_evict(spill->spill, &records, error);
}

void delivery_spill_check_files(struct delivery_spill *spill)
{
    spill_check_files(spill->spill);
}

int64_t delivery_spill_due(const struct delivery_spill *spill)
{
    return spill_due(spill->spill);
}

bool delivery_spill_tick(struct delivery_spill *spill, int64_t now_ns, struct error *error)
{
    return spill_tick(spill->spill, now_ns, error);
}

struct delivery_spill_counts delivery_spill_counts(const struct delivery_spill *spill)
{
    const struct spill_counts *before = &spill->before;
    struct spill_counts now = spill_counts(spill->spill);
    struct delivery_spill_counts counts = {
        .recovered = spill->recovered,
        .bytes = now.bytes,
        .unknown = now.evicted_sent - before->evicted_sent + spill->left_unknown,
        .lost = now.lost + now.gone - before->lost - before->gone + spill->unreadable,
        .kept = now.kept,
    };
    uint64_t evicted = now.evicted - before->evicted + spill->left_evicted;
    counts.evicted = evicted - counts.unknown;
    counts.spilled =
        counts.recovered + now.appended - before->appended - evicted - counts.lost - spill->taken;
    return counts;
}
