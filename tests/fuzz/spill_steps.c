#include "tests/fuzz/spill_steps.h"

#include "tests/fuzz/target.h"
#include "tests/support/spill/read_blocks.h"

#define ROOM 512 /* for the largest image */

/* The data of each appended block. */
static const struct text image = {"a step", 6};
static const struct spill_block one = {.number = 1000, .count = 2, .layout = 7};

static bool read_one(struct spill *spill, size_t room, struct spill_out *out)
{
    static uint8_t bytes[ROOM];
    struct spill_block block;
    struct error error;
    enum spill_found found = spill_read(spill, bytes, room, &block, &error);
    EXPECT(found != SPILL_FOUND_FAILED, "it cannot be read: %s", error.text);
    if (found == SPILL_FOUND_NONE)
        return false;
    out->blocks++;
    out->records += block.count;
    return true;
}

static void acknowledge_one(struct spill *spill, struct spill_out *out)
{
    uint64_t before = spill_counts(spill).acknowledged;
    acknowledge_oldest(spill);
    out->blocks--;
    out->records -= spill_counts(spill).acknowledged - before;
}

/*
 * Reads all blocks. If the spill then holds no unread records, appends a block that counts as read
 * at once.
 */
static void append_read(struct spill *spill, size_t image_size, struct spill_out *out)
{
    struct error error;
    while (read_one(spill, image_size, out))
        ;
    if (spill_counts(spill).held != out->records)
        return;
    uint64_t position;
    EXPECT(spill_append_read(spill, &one, &image, 1, &position, &error) == SPILL_STORED, "%s",
           error.text);
    EXPECT(spill_holds(spill, position), "the spill does not hold the block that it just stored");
    out->blocks++;
    out->records += one.count;
}

void spill_step(struct spill *spill, uint64_t what, size_t image_size, struct spill_out *out)
{
    EXPECT(image_size <= ROOM, "an image of %zu bytes", image_size);
    struct error error;
    uint64_t evicted;
    switch (what % 8) {
    case 0:
        read_one(spill, (what & 8) != 0 ? 8 : image_size, out);
        break;
    case 1:
        if (out->blocks != 0)
            acknowledge_one(spill, out);
        break;
    case 2:
        spill_rewind(spill);
        *out = (struct spill_out){0};
        break;
    case 3:
        EXPECT(spill_tick(spill, INT64_MAX / 2, &error), "%s", error.text);
        EXPECT(spill_due(spill) >= 0, "it was due before there was time");
        break;
    case 4:
        EXPECT(spill_append(spill, &one, &image, 1, &error) == SPILL_STORED, "%s", error.text);
        break;
    case 5:
        if (spill_evict(spill, &evicted, &error))
            EXPECT(evicted <= spill_counts(spill).evicted, "more were evicted than are counted");
        break;
    case 6:
        if (out->blocks != 0)
            spill_note_sent(spill, read_block_position(spill, (size_t)(what >> 3) % out->blocks));
        break;
    default:
        append_read(spill, image_size, out);
        break;
    }
}

void spill_acknowledge_out(struct spill *spill, struct spill_out *out)
{
    while (out->blocks != 0)
        acknowledge_one(spill, out);
}
