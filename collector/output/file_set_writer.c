/*
 * Writes whole blocks into files: a block is collected for each file, and is written completely or
 * not at all.
 *
 * If there is one block, records are encoded in place. If there are several blocks, they share
 * memory, and each is smaller than the largest record. A record is then encoded in a buffer, and is
 * copied into its block or written separately.
 */
#include "collector/output/file_set_writer.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/destination_files.h"
#include "collector/output/file_blocks.h"
#include "collector/output/sink_writer.h"
#include "collector/platform/clock.h"

/*
 * The stages of adding a record (put). Each stage names what is done next, or what has stopped
 * half-way. "In place": there is one block, and records are encoded in it. "Buffered": there are
 * several blocks, and a record is encoded in a buffer first.
 */
enum put_stage {
    PUT_BEFORE, /* in place: writes the earlier records of the block */
    PUT_LATER,  /* buffered: writes all blocks, if the record begins a later period of files */
    PUT_TAKEN,  /* buffered: writes the block, if it has the records of another file */
    PUT_ROOM,   /* buffered: writes the block, if it has no room for the record */
    PUT_CHUNKS, /* buffered: writes the largest blocks, until there is memory for the record */
    PUT_ALONE,  /* buffered: writes the record directly, without a block */
    PUT_BLOCK,  /* in place: writes the block, which is full and contains the record */
};

struct file_set_writer {
    struct sink_writer base;
    struct destination_shape shape;
    struct file_blocks *blocks;
    struct output place;  /* the bytes of the block, if there is one block */
    struct output record; /* the encoded record of the put, if there are several blocks */
    /* The block in the form that the encoder's `arrange` makes; only if shape.arranged is set. */
    struct output arranged;

    /* A write of the bytes `written` has stopped half-way. */
    bool writing;
    const struct output *written;
    struct encoded sum; /* sum of the counts of the records in `written` */
    bool refused;       /* the last write failed only for its file, and is not tried again */
    bool rotating;      /* a rotation has stopped half-way; all blocks are written before it */
    int64_t serve_ns;   /* when the current call of serve began (monotonic) */

    /* The put that has not ended: its stage, and data about its record. */
    enum put_stage stage;
    struct encoded encoded;
    struct file_set_route route;
    size_t start; /* offset of the record in its block, if it is encoded in place */
    size_t end;
};

/*
 * Returns the size of the only block; 0 if there are several blocks. It has additional room for a
 * record, because the last record may make it longer than block_size.
 */
static size_t place_room(const struct destination_shape *shape, size_t record_size)
{
    return shape->blocks == 1 ? shape->block_size + record_size : 0;
}

static size_t record_room(const struct destination_shape *shape, size_t record_size)
{
    return shape->blocks == 1 ? 0 : record_size;
}

size_t file_set_writer_memory(const struct destination_shape *shape, size_t record_size)
{
    size_t arranged = shape->arranged ? ARRANGED_SIZE : 0;
    return sizeof(struct file_set_writer) + file_blocks_memory(shape) +
           place_room(shape, record_size) + record_room(shape, record_size) + arranged;
}

static struct file_set_writer *file_set_of(struct sink_writer *writer)
{
    return (struct file_set_writer *)writer;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void begin_anew(struct sink_writer *writer, bool empty)
{
    if (!atomic_load(&writer->reopen_wanted))
        return;
    atomic_store(&writer->reopen_wanted, false);
    if (writer->state != SINK_WRITING)
        return;
    sink_writer_begin_io(writer);
    writer->destination->file_set->rotate(writer->destination, true, empty);
    sink_writer_end_io(writer);
    log_about(LOG_INFO, LOG_OF_SINK, writer->options.name, "reopened");
}

/*
 * Tries to write once. Returns true if the bytes were written, or if their file is refused.
 * Otherwise describes the wait and returns false.
 */
static bool try_bytes(struct file_set_writer *set, size_t block)
{
    struct sink_writer *writer = &set->base;
    const struct output *from = set->written;
    struct error error;
    sink_writer_begin_io(writer);
    if (writer->options.before_write != NULL)
        writer->options.before_write(writer->options.hook_context);
    enum write_result result = writer->destination->file_set->write(writer->destination, block,
                                                                    from->data, from->used, &error);
    sink_writer_end_io(writer);
    set->refused = result == WRITE_CLOSED;
    if (set->refused)
        return true;
    if (result != WRITE_OK) {
        sink_writer_pause(writer, &error);
        return false;
    }
    sink_writer_note_success(writer);
    counter_add(&writer->options.counters->bytes, from->used);
    return true;
}

/*
 * Writes set->written, with retries, until it is written or the deadline has passed. If a reopening
 * is requested, reopens the files between two tries, because that may be what makes writes succeed
 * again. Returns false if it stopped half-way; otherwise *out is true if the bytes were written.
 */
static bool write_bytes(struct file_set_writer *set, size_t block, bool *out)
{
    struct sink_writer *writer = &set->base;
    *out = false;
    if (!set->writing) {
        sink_writer_begin_block(writer);
        set->writing = true;
    } else {
        if (!sink_writer_has_paused(writer))
            return false;
        if (sink_writer_goes_on(writer))
            begin_anew(writer, false);
    }
    set->refused = false;
    if (writer->state == SINK_WRITING) {
        if (!try_bytes(set, block))
            return false;
        *out = !set->refused;
    }
    set->writing = false;
    sink_writer_end_block(writer, *out);
    return true;
}

static void count_lost(struct file_set_writer *set, size_t records)
{
    if (set->refused)
        sink_writer_count_failed_by(&set->base, FAILED_IO_ERROR, records);
    else
        sink_writer_count_failed(&set->base, records);
}

/*
 * Begins to write these records, either as they are or in their arranged form. `sum` is the sum of
 * their counts.
 */
static void begin_bytes(struct file_set_writer *set, const struct output *records,
                        const struct encoded *sum)
{
    struct encoder *encoder = set->base.encoder;
    set->written = records;
    set->sum = *sum;
    if (!set->shape.arranged)
        return;
    set->arranged.used = 0;
    set->sum = encoder->ops->arrange(encoder, records->data, records->used, &set->arranged);
    set->written = &set->arranged;
}

static const struct output *bytes_of(const struct file_set_writer *set, size_t index)
{
    return set->shape.blocks == 1 ? &set->place : file_blocks_bytes(set->blocks, index);
}

/*
 * Writes the block, or counts its records as failed, and then empties the block. Returns false if
 * it stopped half-way.
 */
static bool file_set_write_block(struct file_set_writer *set, size_t index)
{
    const struct file_block *block = file_blocks_get(set->blocks, index);
    bool out;
    if (block->records == 0)
        return true;
    if (!set->writing)
        begin_bytes(set, bytes_of(set, index), &block->sum);
    if (!write_bytes(set, index, &out))
        return false;
    if (out)
        sink_writer_count_written(&set->base, block->records, &set->sum);
    else
        count_lost(set, block->records);
    file_blocks_empty(set->blocks, index);
    set->place.used = 0;
    sink_writer_publish(&set->base);
    return true;
}

static bool write_due_blocks(struct file_set_writer *set, int64_t now_ns)
{
    for (;;) {
        size_t first = file_blocks_first(set->blocks);
        if (first == NO_FILE_BLOCK || file_blocks_get(set->blocks, first)->due_ns > now_ns)
            return true;
        if (!file_set_write_block(set, first))
            return false; /* the block is still due */
    }
}

static bool file_set_flush(struct sink_writer *writer)
{
    return write_due_blocks(file_set_of(writer), INT64_MAX);
}

/* --- collecting ------------------------------------------------------------------------------- */

static void file_set_add(struct file_set_writer *set, size_t index)
{
    int64_t due_ns = INT64_MAX;
    if (file_blocks_get(set->blocks, index)->records == 0 &&
        set->base.options.settings->flush_interval != 0)
        due_ns = sink_writer_collected_until(&set->base, clock_monotonic_ns());
    file_blocks_count(set->blocks, index, &set->encoded, due_ns);
}

/* Returns true if the arranged form of the block also has room for the record. */
static bool fits_file(const struct file_set_writer *set, const struct file_block *block)
{
    return !set->shape.arranged || block->sum.arranged + set->encoded.arranged <= ARRANGED_SIZE;
}

/*
 * Writes the block's earlier records. The record that was encoded last becomes the block's first.
 */
static bool write_before(struct file_set_writer *set)
{
    set->place.used = set->start;
    if (!file_set_write_block(set, 0))
        return false;
    memmove(set->place.data, set->place.data + set->start, set->end - set->start);
    set->place.used = set->end - set->start;
    return true;
}

static bool keep_in_place(struct file_set_writer *set)
{
    if (set->base.state != SINK_WRITING) {
        set->place.used = 0;
        sink_writer_count_failed(&set->base, 1);
        return true;
    }
    file_set_add(set, 0);
    set->stage = PUT_BLOCK;
    return set->place.used < set->shape.block_size || file_set_write_block(set, 0);
}

static bool put_in_place(struct sink_writer *writer, const struct listener *listener,
                         const struct record *record)
{
    struct file_set_writer *set = file_set_of(writer);
    const struct file_block *block = file_blocks_get(set->blocks, 0);
    set->start = set->place.used;
    if (!sink_writer_encode(writer, listener, record, &set->place, &set->encoded))
        return true;
    set->end = set->place.used;
    set->stage = PUT_BEFORE;
    bool full = set->place.used > set->shape.block_size || !fits_file(set, block);
    if (block->records != 0 && full && !write_before(set))
        return false;
    return keep_in_place(set);
}

static bool write_alone(struct file_set_writer *set)
{
    RULE(file_blocks_get(set->blocks, set->route.block)->records == 0,
         "a large record comes after its block's records");
    struct sink_writer *writer = &set->base;
    bool out;
    if (!set->writing)
        begin_bytes(set, &set->record, &set->encoded);
    if (!write_bytes(set, set->route.block, &out))
        return false;
    if (out)
        sink_writer_count_written(writer, 1, &set->sum);
    else
        count_lost(set, 1);
    return true;
}

static bool take_over(struct file_set_writer *set)
{
    struct destination *destination = set->base.destination;
    if (!set->route.taken)
        return true;
    if (!file_set_write_block(set, set->route.block))
        return false;
    sink_writer_begin_io(&set->base);
    if (set->base.state == SINK_WRITING)
        destination->file_set->take_over(destination, set->route.block);
    sink_writer_end_io(&set->base);
    return true;
}

static bool keep_beside(struct file_set_writer *set)
{
    const struct output *one = &set->record;
    if (set->base.state != SINK_WRITING) {
        sink_writer_count_failed(&set->base, 1);
        return true;
    }
    if (one->used > set->shape.block_size) {
        set->stage = PUT_ALONE;
        return write_alone(set);
    }
    file_blocks_append(set->blocks, set->route.block, one->data, one->used);
    file_set_add(set, set->route.block);
    return true;
}

static bool write_if_later(struct file_set_writer *set)
{
    return !set->route.later || file_set_flush(&set->base);
}

static bool make_room_in_block(struct file_set_writer *set)
{
    const struct file_block *block = file_blocks_get(set->blocks, set->route.block);
    bool fits = set->record.used <= set->shape.block_size - block->size && fits_file(set, block);
    return fits || file_set_write_block(set, set->route.block);
}

/*
 * Writes the largest blocks until there are enough chunks for the record. Each of these writes
 * frees the most memory, and files that get many records are written more often than files that get
 * few.
 */
static bool make_chunks_free(struct file_set_writer *set)
{
    while (set->record.used <= set->shape.block_size &&
           !file_blocks_have_chunks(set->blocks, set->route.block, set->record.used))
        if (!file_set_write_block(set, file_blocks_largest(set->blocks)))
            return false;
    return true;
}

static bool put_on_beside(struct file_set_writer *set)
{
    static bool (*const stages[])(struct file_set_writer *) = {
        [PUT_LATER] = write_if_later,
        [PUT_TAKEN] = take_over,
        [PUT_ROOM] = make_room_in_block,
        [PUT_CHUNKS] = make_chunks_free,
    };
    if (set->stage == PUT_ALONE)
        return write_alone(set);
    for (; set->stage <= PUT_CHUNKS; set->stage++)
        if (!stages[set->stage](set))
            return false;
    return keep_beside(set);
}

static bool put_beside(struct sink_writer *writer, const struct listener *listener,
                       const struct record *record)
{
    struct file_set_writer *set = file_set_of(writer);
    struct destination *destination = writer->destination;
    set->record.used = 0;
    if (!sink_writer_encode(writer, listener, record, &set->record, &set->encoded))
        return true;
    set->route = (struct file_set_route){0};
    if (destination->file_set->route != NULL)
        set->route = destination->file_set->route(destination, listener, record);
    RULE(set->route.block < set->shape.blocks, "a route names one of the destination's blocks");
    set->stage = PUT_LATER;
    return put_on_beside(set);
}

static bool file_set_put(struct sink_writer *writer, const struct listener *listener,
                         const struct record *record)
{
    RULE(!file_set_of(writer)->writing, "no write is half-way when a record is put");
    return file_set_of(writer)->shape.blocks == 1 ? put_in_place(writer, listener, record)
                                                  : put_beside(writer, listener, record);
}

static bool file_set_put_on(struct sink_writer *writer)
{
    struct file_set_writer *set = file_set_of(writer);
    if (set->shape.blocks != 1)
        return put_on_beside(set);
    if (set->stage == PUT_BLOCK)
        return file_set_write_block(set, 0);
    return write_before(set) && keep_in_place(set);
}

/* --- time ------------------------------------------------------------------------------------- */

static bool file_set_has_work(const struct sink_writer *writer)
{
    const struct file_set_writer *set = (const struct file_set_writer *)writer;
    return writer->options.settings->flush_interval == 0 &&
           file_blocks_first(set->blocks) != NO_FILE_BLOCK;
}

static int64_t blocks_due(const struct file_set_writer *set)
{
    size_t first = file_blocks_first(set->blocks);
    return first == NO_FILE_BLOCK ? INT64_MAX : file_blocks_get(set->blocks, first)->due_ns;
}

static int64_t file_set_due(const struct sink_writer *writer)
{
    const struct file_set_writer *set = (const struct file_set_writer *)writer;
    if (writer->state != SINK_WRITING)
        return INT64_MAX;
    int64_t tick = writer->destination->file_set->due(writer->destination);
    int64_t blocks = blocks_due(set);
    return tick < blocks ? tick : blocks;
}

static bool is_to_rotate(struct sink_writer *writer, int64_t now_ns)
{
    struct destination *destination = writer->destination;
    if (writer->state != SINK_WRITING || now_ns < destination->file_set->due(destination))
        return false;
    sink_writer_begin_io(writer);
    bool over = destination->file_set->tick(destination);
    sink_writer_end_io(writer);
    return over;
}

static bool file_set_serve(struct sink_writer *writer, int64_t now_ns)
{
    struct file_set_writer *set = file_set_of(writer);
    struct destination *destination = writer->destination;
    if (!set->writing) /* keeps the time of the first call, so that the same blocks stay due */
        set->serve_ns = now_ns;
    if (!set->rotating && !write_due_blocks(set, set->serve_ns))
        return false;
    set->rotating = set->rotating || is_to_rotate(writer, now_ns);
    if (!set->rotating)
        return true;
    if (!file_set_flush(writer))
        return false;
    set->rotating = false;
    sink_writer_begin_io(writer);
    if (writer->state == SINK_WRITING)
        destination->file_set->rotate(destination, false, true);
    sink_writer_end_io(writer);
    return true;
}

static void file_set_reopen(struct sink_writer *writer)
{
    begin_anew(writer, true);
}

static void file_set_finish(struct sink_writer *writer)
{
    sink_writer_begin_io(writer);
    writer->destination->file_set->finish(writer->destination);
    sink_writer_end_io(writer);
}

/* Returns no handle, because a file has no reader that could close it. */
static wait_handle file_set_handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making a writer -------------------------------------------------------------------------- */

static void file_set_destroy(struct sink_writer *writer)
{
    struct file_set_writer *set = file_set_of(writer);
    file_blocks_destroy(set->blocks);
    free(set->place.data);
    free(set->record.data);
    free(set->arranged.data);
    free(set);
}

static const struct sink_writer_ops file_set_writer_ops = {
    .put = file_set_put,
    .put_on = file_set_put_on,
    .has_work = file_set_has_work,
    .flush = file_set_flush,
    .due = file_set_due,
    .serve = file_set_serve,
    .reopen = file_set_reopen,
    .finish = file_set_finish,
    .handle = file_set_handle,
    .destroy = file_set_destroy,
};

static bool make_room(struct output *out, size_t size)
{
    if (size == 0)
        return true;
    out->data = malloc(size);
    out->capacity = size;
    return out->data != NULL;
}

struct sink_writer *file_set_writer_create(const struct destination_shape *shape,
                                           size_t record_size)
{
    struct file_set_writer *set = calloc(1, sizeof *set);
    if (set == NULL)
        return NULL;
    set->base.ops = &file_set_writer_ops;
    set->shape = *shape;
    set->blocks = file_blocks_create(shape);
    if (set->blocks != NULL && make_room(&set->place, place_room(shape, record_size)) &&
        make_room(&set->record, record_room(shape, record_size)) &&
        make_room(&set->arranged, shape->arranged ? ARRANGED_SIZE : 0))
        return &set->base;
    file_set_destroy(&set->base);
    return NULL;
}
