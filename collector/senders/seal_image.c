#include "collector/senders/seal_image.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/base/rule.h"
#include "collector/platform/machine.h"

#define HEAD_SIZE     24
#define KEY_SIZE      24
#define SESSION_SIZE  (32 + SEAL_WINDOW / 8)
#define CHECKSUM_SIZE 4

#define AT_STOPPED 8
#define AT_KEYS    12
#define AT_FLOOR   16

static const uint8_t magic[8] = "SLSEAL1";

/* --- writing ---------------------------------------------------------------------------------- */

/* Returns room for `size` more bytes of the image, or NULL if out of memory. */
static uint8_t *more(struct seal_image *image, size_t size)
{
    if (image->no_memory)
        return NULL;
    if (size > image->room - image->size) {
        size_t room = 2 * image->room + size;
        uint8_t *bytes = realloc(image->bytes, room);
        if (bytes == NULL) {
            image->no_memory = true;
            return NULL;
        }
        image->bytes = bytes;
        image->room = room;
    }
    uint8_t *at = image->bytes + image->size;
    image->size += size;
    return at;
}

void seal_image_begin(struct seal_image *image, bool stopped, int64_t floor_ns)
{
    image->size = 0;
    image->keys = 0;
    image->no_memory = false;
    uint8_t *head = more(image, HEAD_SIZE);
    if (head == NULL)
        return;
    memcpy(head, magic, sizeof magic);
    put_little_u32(head + AT_STOPPED, stopped);
    put_little_u64(head + AT_FLOOR, (uint64_t)floor_ns);
}

static uint8_t *add_key(struct seal_image *image, uint64_t id, int64_t floor_ns, size_t sessions)
{
    uint8_t *key = more(image, KEY_SIZE + sessions * SESSION_SIZE);
    if (key == NULL)
        return NULL;
    put_little_u64(key, id);
    put_little_u64(key + 8, (uint64_t)floor_ns);
    put_little_u64(key + 16, sessions);
    image->keys++;
    return key + KEY_SIZE;
}

void seal_image_add_floor(struct seal_image *image, uint64_t id, int64_t floor_ns)
{
    add_key(image, id, floor_ns, 0);
}

static void put_session(uint8_t *bytes, const struct seal_session *session)
{
    put_little_u64(bytes, session->session);
    put_little_u64(bytes + 8, session->highest);
    put_little_u64(bytes + 16, (uint64_t)session->latest_ns);
    put_little_u64(bytes + 24, (uint64_t)session->floor_ns);
    for (size_t i = 0; i < SEAL_WINDOW / 64; i++)
        put_little_u64(bytes + 32 + 8 * i, session->seen[i]);
}

void seal_image_add(struct seal_image *image, uint64_t id, const struct seal_sessions *sessions)
{
    size_t count = 0;
    RULE(sessions->width == SEAL_WINDOW, "windows of a state file have their full size");
    for (uint32_t i = 0; i < sessions->count; i++)
        count += sessions->slots[i].highest != 0;
    uint8_t *at = add_key(image, id, sessions->floor_ns, count);
    for (uint32_t i = 0; i < sessions->count && at != NULL; i++) {
        if (sessions->slots[i].highest == 0)
            continue;
        put_session(at, &sessions->slots[i]);
        at += SESSION_SIZE;
    }
}

bool seal_image_end(struct seal_image *image)
{
    uint8_t *checksum = more(image, CHECKSUM_SIZE);
    if (checksum == NULL)
        return false;
    put_little_u32(image->bytes + AT_KEYS, image->keys);
    put_little_u32(checksum, crc32c(0, image->bytes, image->size - CHECKSUM_SIZE));
    return true;
}

/* --- reading ---------------------------------------------------------------------------------- */

static uint32_t get_u32(const uint8_t *bytes)
{
    return ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes);
}

static bool get_session(const uint8_t *bytes, struct seal_session *session)
{
    session->session = little_u64(bytes);
    session->highest = little_u64(bytes + 8);
    session->latest_ns = (int64_t)little_u64(bytes + 16);
    session->floor_ns = (int64_t)little_u64(bytes + 24);
    for (size_t i = 0; i < SEAL_WINDOW / 64; i++)
        session->seen[i] = little_u64(bytes + 32 + 8 * i);
    return session->highest != 0;
}

/*
 * Reads a key at the reader's position. Returns false if the bytes are not a key, or are too
 * few.
 */
static bool get_key(struct seal_image_reader *reader, uint64_t *id, struct seal_sessions *sessions)
{
    const uint8_t *key = reader->bytes + reader->at;
    size_t left = reader->end - reader->at;
    uint64_t count = left < KEY_SIZE ? SEAL_SESSIONS + 1 : little_u64(key + 16);
    if (count > SEAL_SESSIONS || left - KEY_SIZE < count * SESSION_SIZE)
        return false;
    *id = little_u64(key);
    seal_sessions_init(sessions, (int64_t)little_u64(key + 8));
    reader->at += KEY_SIZE;
    for (uint64_t i = 0; i < count; i++, reader->at += SESSION_SIZE)
        if (!get_session(reader->bytes + reader->at, &sessions->slots[i]))
            return false;
    return true;
}

bool seal_image_next(struct seal_image_reader *reader, uint64_t *id, struct seal_sessions *sessions)
{
    if (reader->left == 0)
        return false;
    reader->left--;
    return get_key(reader, id, sessions);
}

static bool has_its_keys(struct seal_image_reader reader)
{
    uint64_t id;
    struct seal_sessions sessions;
    for (; reader.left != 0; reader.left--)
        if (!get_key(&reader, &id, &sessions))
            return false;
    return reader.at == reader.end;
}

const char *seal_image_open(const uint8_t *bytes, size_t size, struct seal_image_reader *reader)
{
    if (size < HEAD_SIZE + CHECKSUM_SIZE)
        return "it is cut";
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return "it is not a state file of sealed datagrams, or one of another version";
    size_t end = size - CHECKSUM_SIZE;
    if (get_u32(bytes + end) != crc32c(0, bytes, end))
        return "it is damaged: its checksum is wrong";
    *reader = (struct seal_image_reader){.bytes = bytes,
                                         .at = HEAD_SIZE,
                                         .end = end,
                                         .stopped = get_u32(bytes + AT_STOPPED) == 1,
                                         .floor_ns = (int64_t)little_u64(bytes + AT_FLOOR),
                                         .left = get_u32(bytes + AT_KEYS)};
    if (get_u32(bytes + AT_STOPPED) > 1 || !has_its_keys(*reader))
        return "it is damaged: its keys are wrong";
    return NULL;
}
