/*
 * Fuzzes the opening of a spill folder that an earlier run has written, and that may be damaged.
 *
 * Fields of the envelope: 1 images, one for each block, which the first run appends; 2 the number
 * of blocks that the first run reads; 3 the number of these that it acknowledges; 4 whether it is
 * killed; 5 damage: the byte at offset (value / 256) of all files together is changed by the rest
 * of the value; 6 the number of bytes that are cut off the last segment; 7 a file of arbitrary
 * bytes, an envelope: 1 its kind, 2 its position, 3 the bytes, 4 whether bytes that look like block
 * heads get checksums and the number of this spill; 8 the actions of the next run before it reads
 * everything.
 *
 * An inspection must not change any file, and must find the same as the next run. The next run must
 * open the folder with any content and read it to its end. If all files are those of the first run,
 * it must return each intact block unchanged and in order, and no damaged block. If the first run
 * ended cleanly, the next run must not return acknowledged blocks again. Afterwards all records
 * must have an outcome, and the spill must work like a new one. An image must be a valid block of a
 * delivery, or be refused.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/output/delivery_image.h"
#include "collector/platform/machine.h"
#include "collector/spill/spill.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/inspected.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/same_random.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/spill_steps.h"
#include "tests/fuzz/target.h"
#include "tests/support/spill/read_blocks.h"

enum {
    PART_IMAGE = 1,
    PART_READ = 2,
    PART_ACKNOWLEDGED = 3,
    PART_KILLED = 4,
    PART_DAMAGE = 5,
    PART_CUT = 6,
    PART_FILE = 7,
    PART_STEP = 8,
};
enum { FILE_KIND = 1, FILE_POSITION = 2, FILE_BYTES = 3, FILE_SEALED = 4 };

#define IMAGE_SIZE   ((size_t)512)
#define SEGMENT_SIZE (2 * (IMAGE_SIZE + SPILL_HEAD_SIZE))
#define MOST_BLOCKS  ((size_t)48)

/* A block of the first run. */
struct stored {
    const uint8_t *bytes;
    size_t size;
    uint32_t count;
    /* File: an index, or NO_FILE if its segment was removed; at: the position in it. */
    size_t file, at;
    bool sound;
};
#define NO_FILE SIZE_MAX

struct folder_file {
    char name[SCRATCH_PATH_SIZE];
    uint8_t *bytes, *before;
    size_t size;
};

struct world {
    struct stored blocks[MOST_BLOCKS];
    size_t count, read, acknowledged;
    bool killed;
    bool has_foreign;    /* there are files that no run wrote */
    bool has_steps;      /* blocks are not compared one by one */
    bool has_own_cursor; /* the first run's cursor is unchanged */
    struct folder_file files[SCRATCH_FILES];
    size_t file_count;
};

static struct spill_settings settings_of_spill(void)
{
    return (struct spill_settings){.folder = scratch_folder(),
                                   .size = (uint64_t)4 << 20,
                                   .segment_size = SEGMENT_SIZE,
                                   .image_size = IMAGE_SIZE,
                                   .window = 4096,
                                   .sync = SPILL_SYNC_NEVER,
                                   .sync_interval_ns = 1,
                                   .cursor_interval_ns = 1};
}

static struct spill *open_spill(void)
{
    const struct spill_settings settings = settings_of_spill();
    struct spill *spill;
    struct error error;
    quiet();
    EXPECT(spill_open(&settings, &spill, &error) == 0, "it is not opened: %s", error.text);
    return spill;
}

static void check_counts(const struct spill *spill)
{
    struct spill_counts counts = spill_counts(spill);
    EXPECT(counts.recovered + counts.appended ==
                   counts.acknowledged + counts.evicted + counts.lost + counts.held &&
               counts.held <= counts.recovered + counts.appended,
           "the records do not add up");
}

/* --- the first run ---------------------------------------------------------------------------- */

static void take_images(struct world *world, const struct envelope *envelope)
{
    const struct envelope_part *part;
    for (size_t i = 0;
         world->count < MOST_BLOCKS && (part = envelope_bytes(envelope, PART_IMAGE, i)) != NULL;
         i++) {
        size_t size = part->size < IMAGE_SIZE ? part->size : IMAGE_SIZE;
        if (size != 0)
            world->blocks[world->count++] = (struct stored){
                .bytes = part->bytes, .size = size, .count = 1 + (uint32_t)size % 5};
    }
}

static void append(struct spill *spill, const struct stored *block, uint64_t number)
{
    const struct text piece = {(const char *)block->bytes, block->size};
    const struct spill_block to = {.number = number, .count = block->count, .layout = 7};
    struct error error;
    EXPECT(spill_append(spill, &to, &piece, 1, &error) == SPILL_STORED, "%s", error.text);
}

static void check_block(const struct world *world, const uint8_t *bytes,
                        const struct spill_block *block, uint64_t number)
{
    const struct stored *stored = &world->blocks[number];
    EXPECT(block->number == number && block->count == stored->count && block->layout == 7,
           "another block than %u", (unsigned)number);
    EXPECT(block->size == stored->size && memcmp(bytes, stored->bytes, stored->size) == 0,
           "block %u is not as it was stored", (unsigned)number);
}

static void note_files(struct world *world)
{
    static char names[SCRATCH_FILES][SCRATCH_PATH_SIZE];
    world->file_count = scratch_list(names);
    for (size_t i = 0; i < world->file_count; i++) {
        struct folder_file *file = &world->files[i];
        snprintf(file->name, sizeof file->name, "%s", names[i]);
        file->bytes = scratch_read(file->name, &file->size);
        file->before = malloc(file->size + 1);
        if (file->before == NULL)
            abort();
        memcpy(file->before, file->bytes, file->size);
    }
}

static bool is_segment(const struct folder_file *file)
{
    return strstr(file->name, ".seg") != NULL;
}

static void note_places(struct world *world)
{
    size_t number = 0;
    uint64_t position = 0;
    for (size_t i = 0; i < world->file_count; i++) {
        const struct folder_file *file = &world->files[i];
        for (size_t at = 0; is_segment(file) && at + SPILL_HEAD_SIZE <= file->size;) {
            uint64_t first = little_u64(file->bytes + at + 24);
            for (; position < first && number < world->count; number++) {
                /* Its segment was acknowledged and removed. */
                world->blocks[number].file = NO_FILE;
                position += world->blocks[number].count;
            }
            EXPECT(number < world->count && position == first, "a segment has other blocks");
            world->blocks[number].file = i;
            world->blocks[number].at = at;
            at += SPILL_HEAD_SIZE + world->blocks[number].size;
            position += world->blocks[number++].count;
        }
    }
    for (; number < world->count; number++)
        world->blocks[number].file = NO_FILE;
}

static void run_first(struct world *world, const struct envelope *envelope)
{
    struct spill *spill = open_spill();
    struct error error;
    uint8_t bytes[IMAGE_SIZE];
    take_images(world, envelope);
    for (size_t i = 0; i < world->count; i++)
        append(spill, &world->blocks[i], i);
    world->read = (size_t)(envelope_value(envelope, PART_READ, 0) % (world->count + 1));
    world->acknowledged =
        (size_t)(envelope_value(envelope, PART_ACKNOWLEDGED, 0) % (world->read + 1));
    world->killed = envelope_value(envelope, PART_KILLED, 0) != 0;
    world->has_own_cursor = true;
    for (size_t i = 0; i < world->read; i++) {
        struct spill_block block;
        EXPECT(spill_read(spill, bytes, sizeof bytes, &block, &error) == SPILL_FOUND,
               "a block is not there");
        check_block(world, bytes, &block, i);
    }
    for (size_t i = 0; i < world->acknowledged; i++)
        acknowledge_oldest(spill);
    check_counts(spill);
    if (world->killed)
        note_files(world);
    EXPECT(spill_close(spill, &error), "%s", error.text);
    if (!world->killed)
        note_files(world);
    note_places(world);
}

/* --- damage to the files ---------------------------------------------------------------------- */

static void change_byte(struct world *world, uint64_t value)
{
    uint64_t total = 0;
    for (size_t i = 0; i < world->file_count; i++)
        total += world->files[i].size;
    uint64_t at = total == 0 ? 0 : (value >> 8) % total;
    for (size_t i = 0; i < world->file_count; at -= world->files[i++].size)
        if (at < world->files[i].size) {
            world->files[i].bytes[at] ^= (uint8_t)value;
            return;
        }
}

static void damage(struct world *world, const struct envelope *envelope)
{
    uint64_t cut = envelope_value(envelope, PART_CUT, 0);
    for (size_t i = 0; i < envelope->count; i++)
        if (envelope->parts[i].number == PART_DAMAGE && envelope->parts[i].bytes == NULL)
            change_byte(world, envelope->parts[i].value);
    for (size_t i = world->file_count; i-- > 0;)
        if (is_segment(&world->files[i])) {
            world->files[i].size -= (size_t)(cut % (world->files[i].size + 1));
            break;
        }
    for (size_t i = 0; i < world->count; i++) {
        struct stored *block = &world->blocks[i];
        const struct folder_file *file = &world->files[block->file == NO_FILE ? 0 : block->file];
        size_t size = SPILL_HEAD_SIZE + block->size;
        block->sound = block->file != NO_FILE && block->at + size <= file->size &&
                       memcmp(file->bytes + block->at, file->before + block->at, size) == 0;
    }
    for (size_t i = 0; i < world->file_count; i++)
        if (strcmp(world->files[i].name, "ack") == 0)
            world->has_own_cursor =
                memcmp(world->files[i].bytes, world->files[i].before, world->files[i].size) == 0;
}

/* Writes correct checksums to each head, and the number of the spill if it is 0. */
static void seal_heads(uint8_t *bytes, size_t size, uint64_t spill)
{
    for (size_t at = 0; at + SPILL_HEAD_SIZE <= size; at++) {
        uint8_t *head = bytes + at;
        if (memcmp(head, "SLB", 3) != 0)
            continue;
        size_t image = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 4);
        size_t label = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 52);
        size_t left = size - at - SPILL_HEAD_SIZE;
        if (little_u64(head + 8) == 0)
            put_little_u64(head + 8, spill);
        if (label <= left && image <= left - label) {
            put_little_u32(head + 56, crc32c(0, head + SPILL_HEAD_SIZE, label));
            put_little_u32(head + 48, crc32c(0, head + SPILL_HEAD_SIZE + label, image));
        }
        put_little_u32(head + 60, crc32c(0, head, 60));
    }
}

static void seal_cursor(uint8_t *bytes, size_t size, uint64_t spill)
{
    for (size_t at = 0; at + 64 <= size; at += 4096) {
        if (little_u64(bytes + at + 8) == 0)
            put_little_u64(bytes + at + 8, spill);
        put_little_u32(bytes + at + 60, crc32c(0, bytes + at, 60));
    }
}

static uint64_t spill_number(const struct world *world)
{
    for (size_t i = 0; i < world->file_count; i++)
        if (is_segment(&world->files[i]) && world->files[i].size >= SPILL_HEAD_SIZE)
            return little_u64(world->files[i].bytes + 8);
    return 1;
}

static void write_foreign(struct world *world, const struct envelope_part *part)
{
    static const char *const endings[] = {".seg", ".bad", ".part", ""};
    struct envelope file;
    char name[64];
    envelope_read(&file, part->bytes, part->size);
    const struct envelope_part *bytes = envelope_bytes(&file, FILE_BYTES, 0);
    uint64_t kind = envelope_value(&file, FILE_KIND, 0) % 8;
    bool sealed = envelope_value(&file, FILE_SEALED, 0) != 0;
    world->has_foreign = true;
    if (bytes != NULL && sealed && kind <= 4)
        seal_heads(bytes->bytes, bytes->size, spill_number(world));
    if (bytes != NULL && sealed && kind == 5)
        seal_cursor(bytes->bytes, bytes->size, spill_number(world));
    snprintf(name, sizeof name, "%020llu%s",
             (unsigned long long)envelope_value(&file, FILE_POSITION, 0), endings[kind % 4]);
    scratch_write(kind == 5   ? "ack"
                  : kind == 6 ? "lock"
                              : name,
                  bytes == NULL ? (const uint8_t *)"" : bytes->bytes,
                  bytes == NULL ? 0 : bytes->size);
    envelope_free(&file);
}

static void write_all(struct world *world, const struct envelope *envelope)
{
    const struct envelope_part *part;
    scratch_empty();
    for (size_t i = 0; i < world->file_count; i++)
        scratch_write(world->files[i].name, world->files[i].bytes, world->files[i].size);
    for (size_t i = 0; (part = envelope_bytes(envelope, PART_FILE, i)) != NULL; i++)
        write_foreign(world, part);
}

/* --- the next run ----------------------------------------------------------------------------- */

/*
 * Checks arbitrary bytes as an image. If it is accepted, it is written without a change and
 * accepted again.
 */
static void check_image(const uint8_t *bytes, size_t size)
{
    static struct buffered_block held, again; /* serve all inputs */
    static uint8_t *head, *image;
    struct text pieces[DELIVERY_IMAGE_PIECES];
    size_t used = 0;
    if (head == NULL) {
        head = malloc(delivery_image_head_size());
        image = malloc(delivery_image_size(IMAGE_SIZE));
        if (head == NULL || image == NULL || !buffered_block_make(&held, IMAGE_SIZE) ||
            !buffered_block_make(&again, IMAGE_SIZE))
            abort();
    }
    if (!delivery_image_get(bytes, size, &held))
        return;
    buffered_block_describe(&held, 1);
    held.block.epoch = held.epoch;
    delivery_image_put(&held, head, pieces);
    for (size_t i = 0; i < DELIVERY_IMAGE_PIECES; used += pieces[i++].size)
        if (pieces[i].size != 0)
            memcpy(image + used, pieces[i].data, pieces[i].size);
    EXPECT(used == size && delivery_image_get(image, used, &again),
           "an image of %zu bytes is written as one of %zu", size, used);
    EXPECT(again.block.count == held.block.count && again.out.used == held.out.used &&
               again.keys_used == held.keys_used,
           "it is another block when it is read again");
}

static void check_found(const struct world *world, const uint8_t *bytes,
                        const struct spill_block *block, size_t *next)
{
    size_t number = (size_t)block->number;
    EXPECT(block->number < world->count && number >= *next, "block %zu after %zu", number, *next);
    for (size_t i = *next; i < number; i++)
        EXPECT(!world->blocks[i].sound || i < world->acknowledged, "block %zu is sound, and lost",
               i);
    EXPECT(world->blocks[number].sound, "block %zu is damaged", number);
    check_block(world, bytes, block, number);
    EXPECT(number >= world->acknowledged || world->killed || !world->has_own_cursor,
           "block %zu was acknowledged", number);
    if (number < world->read && world->killed && world->has_own_cursor)
        EXPECT(block->again, "it is not said of block %zu that it may come twice", number);
    if (!world->killed && world->has_own_cursor)
        EXPECT(!block->again, "block %zu was not sent", number);
    *next = number + 1;
}

/* Reads and acknowledges all blocks. They must be those that the inspection found. */
static void read_all(const struct world *world, struct spill *spill,
                     const struct spill_inspection *inspection)
{
    static uint8_t bytes[IMAGE_SIZE];
    struct spill_block block;
    struct error error;
    size_t next = 0, reads = 0;
    uint64_t too_large = 0;
    enum spill_found found;
    while ((found = spill_read(spill, bytes, sizeof bytes, &block, &error)) == SPILL_FOUND ||
           found == SPILL_FOUND_TOO_LARGE) {
        EXPECT(reads++ < 2000, "it has no end");
        if (!world->has_foreign)
            check_found(world, bytes, &block, &next);
        if (found == SPILL_FOUND)
            check_image(bytes, block.size);
        else
            too_large += block.count;
        acknowledge_oldest(spill);
        check_counts(spill);
    }
    EXPECT(found == SPILL_FOUND_NONE, "it cannot be read: %s", error.text);
    for (size_t i = next; i < world->count && !world->has_foreign; i++)
        EXPECT(!world->blocks[i].sound || i < world->acknowledged, "block %zu is sound, and lost",
               i);
    EXPECT(spill_counts(spill).held == 0, "all was read, and %llu records are held",
           (unsigned long long)spill_counts(spill).held);
    if (!world->has_steps)
        EXPECT(inspection->blocks == reads && inspection->too_large == too_large &&
                   inspection->lost == spill_counts(spill).lost,
               "%llu blocks were inspected, %llu records of them too large, and %llu lost; read "
               "were %zu, %llu and %llu",
               (unsigned long long)inspection->blocks, (unsigned long long)inspection->too_large,
               (unsigned long long)inspection->lost, reads, (unsigned long long)too_large,
               (unsigned long long)spill_counts(spill).lost);
}

static void expect_one(struct spill *spill, bool is_there)
{
    static const uint8_t image[] = "one more";
    uint8_t bytes[IMAGE_SIZE];
    struct spill_block block;
    struct error error;
    enum spill_found found = spill_read(spill, bytes, sizeof bytes, &block, &error);
    EXPECT(found == (is_there ? SPILL_FOUND : SPILL_FOUND_NONE), "what was stored after it is %s",
           is_there ? "not there" : "there twice");
    if (is_there)
        EXPECT(block.number == 99 && block.size == sizeof image &&
                   memcmp(bytes, image, sizeof image) == 0,
               "what was stored after it is something else");
}

static void take_steps(struct world *world, const struct envelope *envelope, struct spill *spill)
{
    struct spill_out out = {0};
    for (size_t i = 0; i < envelope->count; i++)
        if (envelope->parts[i].number == PART_STEP && envelope->parts[i].bytes == NULL) {
            world->has_foreign = world->has_steps = true;
            spill_step(spill, envelope->parts[i].value, IMAGE_SIZE, &out);
            check_counts(spill);
        }
    spill_acknowledge_out(spill, &out);
}

static void run_next(struct world *world, const struct envelope *envelope)
{
    static const uint8_t image[] = "one more";
    const struct stored one = {.bytes = image, .size = sizeof image, .count = 3};
    const struct spill_settings settings = settings_of_spill();
    struct spill_inspection inspection = inspected(&settings);
    struct error error;
    struct spill *spill = open_spill();
    check_counts(spill);
    expect_opened_as_inspected(&inspection, spill);
    take_steps(world, envelope, spill);
    read_all(world, spill, &inspection);
    append(spill, &one, 99);
    EXPECT(spill_close(spill, &error), "%s", error.text);
    spill = open_spill();
    expect_one(spill, true);
    acknowledge_oldest(spill);
    expect_one(spill, false);
    EXPECT(spill_counts(spill).held == 0, "records are held that are not there");
    EXPECT(spill_close(spill, &error), "%s", error.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world world;
    struct envelope envelope;
    memset(&world, 0, sizeof world);
    envelope_read(&envelope, data, size);
    scratch_empty();
    same_random_begin();
    run_first(&world, &envelope);
    damage(&world, &envelope);
    write_all(&world, &envelope);
    run_next(&world, &envelope);
    for (size_t i = 0; i < world.file_count; i++) {
        free(world.files[i].bytes);
        free(world.files[i].before);
    }
    envelope_free(&envelope);
    return 0;
}
