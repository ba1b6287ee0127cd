#include "tests/simulation/spill_folder.h"

#include <stdint.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/platform/machine.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/history.h"
#include "tests/simulation/message.h"
#include "tests/simulation/world.h"

#define HEAD 64

static size_t label_size(const uint8_t *head)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 52);
}

static bool is_block(const uint8_t *head, size_t left)
{
    if (left < HEAD || memcmp(head, "SLB2", 4) != 0 ||
        ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 60) != crc32c(0, head, 60))
        return false;
    uint32_t size = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 4);
    size_t label = label_size(head);
    return label + size <= left - HEAD &&
           ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 48) == crc32c(0, head + HEAD + label, size);
}

/* Marks the lines at the end of the image as on disk. Returns the number of the first line. */
static uint32_t note_lines(const uint8_t *image, size_t size, bool *on_disk)
{
    size_t bytes = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, image + 12);
    if (bytes > size)
        world_fail("a block on disk has more lines than bytes");
    const char *line = (const char *)image + size - bytes, *end = (const char *)image + size;
    uint32_t first = UINT32_MAX;
    while (line != end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        uint32_t number;
        if (newline == NULL || !message_number_of_line(line, (size_t)(newline - line), &number) ||
            number >= history->sent_count)
            world_fail("a block on disk has an invalid line");
        on_disk[number] = true;
        first = first == UINT32_MAX ? number : first;
        line = newline + 1;
    }
    return first;
}

/*
 * Returns the number of records in the block if its head is valid and its end is missing. Otherwise
 * returns 0.
 */
static size_t torn_at(const uint8_t *head, size_t left)
{
    if (left < HEAD || memcmp(head, "SLB2", 4) != 0 ||
        ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 60) != crc32c(0, head, 60) ||
        label_size(head) + ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 4) <= left - HEAD)
        return 0;
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 40);
}

/* Reads a segment. Searches damaged parts byte by byte for the next block. */
static void read_segment(const struct disk_node *node, bool *on_disk, uint64_t *latest,
                         size_t *records, size_t *torn)
{
    for (size_t at = 0; at + HEAD <= node->size;) {
        const uint8_t *head = node->bytes + at;
        if (!is_block(head, node->size - at)) {
            *torn += torn_at(head, node->size - at);
            at++;
            continue;
        }
        size_t size = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 4);
        uint64_t position = little_u64(head + 24);
        uint32_t first = note_lines(head + HEAD + label_size(head), size, on_disk);
        world_trace("on disk: position %llu, datagram %u and more", (unsigned long long)position,
                    first);
        if (position >= *latest) {
            *latest = position;
            *records = ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, head + 40);
        }
        at += HEAD + label_size(head) + size;
    }
}

size_t spill_folder_read(const char *folder, bool *on_disk, size_t *torn)
{
    size_t at = 0, records = 0;
    uint64_t latest = 0;
    *torn = 0;
    struct disk_node *node;
    const char *name;
    memset(on_disk, 0, history->sent_count * sizeof *on_disk);
    while ((name = disk_next_name(folder, &at, &node)) != NULL)
        if (strstr(name, ".seg") != NULL)
            read_segment(node, on_disk, &latest, &records, torn);
    return records;
}
