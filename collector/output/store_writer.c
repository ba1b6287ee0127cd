/*
 * Writing whole blocks into files: a block is collected for each file that is being filled, and is
 * then written whole or not at all.
 *
 * Where there is one block, records are encoded in it. Where there are several they are smaller
 * than a record may be: a record is encoded beside them and copied, or written by itself.
 */
#include "collector/output/store_writer.h"

#include <stdlib.h>
#include <string.h>

#include "collector/output/sink_writer.h"
#include "collector/platform/thread.h"

struct block {
    struct output out;
    size_t records;
    struct encoded sum;         /* of them */
    int64_t collected_until_ns; /* monotonic, while there are any */
};

struct store_writer {
    struct sink_writer base;
    struct destination_shape shape;
    struct output record;   /* several blocks: the record in hand */
    struct output arranged; /* of a shape that wants that: the block that is written, as its file */
    int64_t due_ns;         /* monotonic: not later than the first block that is due */
    struct block blocks[];
};

/* One block has room for the record that passes its size. */
static size_t block_room(const struct destination_shape *shape)
{
    return shape->blocks == 1 ? shape->block_size + RECORD_SIZE : shape->block_size;
}

size_t store_writer_memory(const struct destination_shape *shape)
{
    size_t beside = shape->blocks == 1 ? 0 : RECORD_SIZE;
    size_t arranged = shape->arranged ? ARRANGED_SIZE : 0;
    return sizeof(struct store_writer) +
           shape->blocks * (sizeof(struct block) + block_room(shape)) + beside + arranged;
}

static struct store_writer *of(struct sink_writer *writer)
{
    return (struct store_writer *)writer;
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
    writer->destination->store->rotate(writer->destination, true, empty);
    sink_writer_end_io(writer);
    log_about(LOG_INFO, LOG_OF_SINK, writer->options.name, "reopened");
}

/*
 * Tries until the bytes are written, or until the deadline is over. To begin other files may be
 * what helps, and would never come if it waited for this.
 */
static bool try_bytes(struct store_writer *store, size_t block, const struct output *from)
{
    struct sink_writer *writer = &store->base;
    const struct store_ops *ops = writer->destination->store;
    while (writer->state == SINK_WRITING) {
        struct error error;
        sink_writer_begin_io(writer);
        if (writer->options.before_write != NULL)
            writer->options.before_write(writer->options.hook_context);
        enum write_result result =
            ops->write(writer->destination, block, from->data, from->used, &error);
        sink_writer_end_io(writer);
        if (result == WRITE_OK) {
            sink_writer_note_success(writer);
            counter_add(&writer->options.counters->bytes, from->used);
            return true;
        }
        sink_writer_pause(writer, &error);
        if (sink_writer_goes_on(writer))
            begin_anew(writer, false);
    }
    return false;
}

static bool write_bytes(struct store_writer *store, size_t block, const struct output *from)
{
    sink_writer_begin_block(&store->base);
    bool out = try_bytes(store, block, from);
    sink_writer_end_block(&store->base, out);
    return out;
}

/* What is written for a block: itself, or what it is arranged to; of that *sum is told anew. */
static const struct output *arrange(struct store_writer *store, const struct output *block,
                                    struct encoded *sum)
{
    struct encoder *encoder = store->base.encoder;
    if (!store->shape.arranged)
        return block;
    store->arranged.used = 0;
    *sum = encoder->ops->arrange(encoder, block->data, block->used, &store->arranged);
    return &store->arranged;
}

/* Writes the block, or counts its records as failed; it is empty then. */
static void write_block(struct store_writer *store, size_t index)
{
    struct block *block = &store->blocks[index];
    if (block->records == 0)
        return;
    if (write_bytes(store, index, arrange(store, &block->out, &block->sum)))
        sink_writer_count_written(&store->base, block->records, &block->sum);
    else
        sink_writer_count_failed(&store->base, block->records);
    block->records = 0;
    block->sum = (struct encoded){0};
    block->out.used = 0;
    sink_writer_publish_settled(&store->base);
}

static void flush(struct sink_writer *writer)
{
    struct store_writer *store = of(writer);
    for (size_t i = 0; i < store->shape.blocks; i++)
        write_block(store, i);
    store->due_ns = INT64_MAX;
}

/* --- collecting ------------------------------------------------------------------------------- */

static void add(struct store_writer *store, struct block *block, const struct encoded *encoded)
{
    if (block->records++ == 0) {
        int64_t now = store->base.options.flush_interval == 0 ? 0 : clock_monotonic_ns();
        block->collected_until_ns = sink_writer_collected_until(&store->base, now);
        if (block->collected_until_ns < store->due_ns)
            store->due_ns = block->collected_until_ns;
    }
    encoded_add(&block->sum, encoded);
}

/* Whether a file has place for the record, too. */
static bool fits_file(const struct store_writer *store, const struct block *block,
                      const struct encoded *encoded)
{
    return !store->shape.arranged || block->sum.arranged + encoded->arranged <= ARRANGED_SIZE;
}

/* Writes what stands before the record that was encoded last, which then begins the block. */
static void write_before(struct store_writer *store, struct block *block, size_t start)
{
    size_t size = block->out.used - start;
    block->out.used = start;
    write_block(store, 0);
    memmove(block->out.data, block->out.data + start, size);
    block->out.used = size;
}

static void put_in_place(struct sink_writer *writer, const struct listener *listener,
                         const struct record *record)
{
    struct store_writer *store = of(writer);
    struct block *block = &store->blocks[0];
    size_t start = block->out.used;
    struct encoded encoded;
    if (!sink_writer_encode(writer, listener, record, &block->out, &encoded))
        return;
    if (block->records != 0 &&
        (block->out.used > store->shape.block_size || !fits_file(store, block, &encoded)))
        write_before(store, block, start);
    if (writer->state != SINK_WRITING) {
        block->out.used = 0;
        sink_writer_count_failed(writer, 1);
        return;
    }
    add(store, block, &encoded);
    if (block->out.used >= store->shape.block_size)
        write_block(store, 0);
}

/* The block of the record's file, written first where it was another file's. */
static size_t find_block(struct store_writer *store, const struct listener *listener,
                         const struct record *record)
{
    struct destination *destination = store->base.destination;
    if (destination->store->route == NULL)
        return 0;
    struct store_route route = destination->store->route(destination, listener, record);
    if (route.later)
        flush(&store->base);
    if (route.taken) {
        write_block(store, route.block);
        sink_writer_begin_io(&store->base);
        if (store->base.state == SINK_WRITING)
            destination->store->take_over(destination, route.block);
        sink_writer_end_io(&store->base);
    }
    return route.block;
}

static void put_beside(struct sink_writer *writer, const struct listener *listener,
                       const struct record *record)
{
    struct store_writer *store = of(writer);
    struct output *one = &store->record;
    struct encoded encoded;
    one->used = 0;
    if (!sink_writer_encode(writer, listener, record, one, &encoded))
        return;
    size_t index = find_block(store, listener, record);
    struct block *block = &store->blocks[index];
    if (one->used > block->out.capacity - block->out.used || !fits_file(store, block, &encoded))
        write_block(store, index);
    if (writer->state != SINK_WRITING) {
        sink_writer_count_failed(writer, 1);
    } else if (one->used <= block->out.capacity) {
        output_bytes(&block->out, one->data, one->used);
        add(store, block, &encoded);
    } else if (write_bytes(store, index, arrange(store, one, &encoded))) {
        sink_writer_count_written(writer, 1, &encoded);
    } else {
        sink_writer_count_failed(writer, 1);
    }
}

static void put(struct sink_writer *writer, const struct listener *listener,
                const struct record *record)
{
    if (of(writer)->shape.blocks == 1)
        put_in_place(writer, listener, record);
    else
        put_beside(writer, listener, record);
}

/* --- time ------------------------------------------------------------------------------------- */

static bool has_work(const struct sink_writer *writer)
{
    const struct store_writer *store = (const struct store_writer *)writer;
    if (writer->options.flush_interval != 0)
        return false;
    for (size_t i = 0; i < store->shape.blocks; i++)
        if (store->blocks[i].records != 0)
            return true;
    return false;
}

static int64_t due(const struct sink_writer *writer)
{
    const struct store_writer *store = (const struct store_writer *)writer;
    if (writer->state != SINK_WRITING)
        return INT64_MAX;
    int64_t tick = writer->destination->store->due(writer->destination);
    return tick < store->due_ns ? tick : store->due_ns;
}

static void write_due_blocks(struct store_writer *store, int64_t now_ns)
{
    store->due_ns = INT64_MAX;
    for (size_t i = 0; i < store->shape.blocks; i++) {
        struct block *block = &store->blocks[i];
        if (block->records != 0 && now_ns >= block->collected_until_ns)
            write_block(store, i);
        else if (block->records != 0 && block->collected_until_ns < store->due_ns)
            store->due_ns = block->collected_until_ns;
    }
}

static void serve(struct sink_writer *writer, int64_t now_ns)
{
    struct store_writer *store = of(writer);
    struct destination *destination = writer->destination;
    if (now_ns >= store->due_ns)
        write_due_blocks(store, now_ns);
    if (writer->state != SINK_WRITING || now_ns < destination->store->due(destination))
        return;
    sink_writer_begin_io(writer);
    bool over = destination->store->tick(destination);
    sink_writer_end_io(writer);
    if (!over)
        return;
    flush(writer);
    sink_writer_begin_io(writer);
    if (writer->state == SINK_WRITING)
        destination->store->rotate(destination, false, true);
    sink_writer_end_io(writer);
}

/* Behind a flush. */
static void reopen(struct sink_writer *writer)
{
    begin_anew(writer, true);
}

static void finish(struct sink_writer *writer)
{
    sink_writer_begin_io(writer);
    writer->destination->store->finish(writer->destination);
    sink_writer_end_io(writer);
}

/* A file has no reader that could go. */
static wait_handle handle(const struct sink_writer *writer)
{
    (void)writer;
    return NO_HANDLE;
}

/* --- making one ------------------------------------------------------------------------------- */

static void destroy(struct sink_writer *writer)
{
    struct store_writer *store = of(writer);
    for (size_t i = 0; i < store->shape.blocks; i++)
        free(store->blocks[i].out.data);
    free(store->record.data);
    free(store->arranged.data);
    free(store);
}

static const struct sink_writer_ops store_writer_ops = {
    .put = put,
    .has_work = has_work,
    .flush = flush,
    .due = due,
    .serve = serve,
    .reopen = reopen,
    .finish = finish,
    .handle = handle,
    .destroy = destroy,
};

static bool make_room(struct output *out, size_t size)
{
    out->data = malloc(size);
    out->capacity = size;
    return out->data != NULL;
}

struct sink_writer *store_writer_create(const struct destination_shape *shape)
{
    struct store_writer *store = calloc(1, sizeof *store + shape->blocks * sizeof(struct block));
    if (store == NULL)
        return NULL;
    store->base.ops = &store_writer_ops;
    store->shape = *shape;
    store->due_ns = INT64_MAX;
    bool made = shape->blocks == 1 || make_room(&store->record, RECORD_SIZE);
    made = made && (!shape->arranged || make_room(&store->arranged, ARRANGED_SIZE));
    for (size_t i = 0; i < shape->blocks; i++)
        made = made && make_room(&store->blocks[i].out, block_room(shape));
    if (made)
        return &store->base;
    destroy(&store->base);
    return NULL;
}
