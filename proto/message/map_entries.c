/*
 * Keeps the last of several map entries with the same key. A few entries are compared with each
 * other; many are sorted first, because a datagram can contain tens of thousands.
 */
#include "proto/message/decoder.h"
#include "proto/message/order.h"

/*
 * Marks an entry as dropped. Its descriptor is not needed, because no list will contain the entry.
 */
static void drop(ProtobufCMessage *entry)
{
    entry->descriptor = NULL;
}

static void drop_among_few(const struct field_type *key, ProtobufCMessage **entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t later = i + 1; later < count; later++)
            if (message_compare(key, entries[i], entries[later]) == 0) {
                drop(entries[i]);
                break;
            }
}

static bool drop_among_many(struct decoder *decoder, const struct field_type *key,
                            ProtobufCMessage **entries, size_t count)
{
    size_t used = decoder->arena->used;
    const uint32_t *order =
        message_order(key, (const ProtobufCMessage *const *)entries, count, decoder->arena);
    if (order == NULL) {
        decoder_fail(decoder, CAUSE_NO_ROOM, NULL);
        return false;
    }
    for (size_t i = 0; i + 1 < count; i++)
        if (message_compare(key, entries[order[i]], entries[order[i + 1]]) == 0)
            drop(entries[order[i]]);
    decoder->arena->used = used;
    return true;
}

static size_t remove_dropped(ProtobufCMessage **entries, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (entries[i]->descriptor != NULL)
            entries[kept++] = entries[i];
    return kept;
}

size_t map_keep_last_of_few(const struct message_type *entry, ProtobufCMessage **entries,
                            size_t count)
{
    drop_among_few(&entry->fields[0], entries, count);
    return remove_dropped(entries, count);
}

bool decoder_keep_last_entries(struct decoder *decoder, const struct field_type *map,
                               ProtobufCMessage *message)
{
    size_t *count = field_count(map, message);
    ProtobufCMessage **entries = *(ProtobufCMessage * *const *)field_value(map, message);
    if (*count < 2)
        return true;
    if (*count <= MAP_FEW) {
        *count = map_keep_last_of_few(map->message, entries, *count);
        return true;
    }
    if (!drop_among_many(decoder, &map->message->fields[0], entries, *count))
        return false;
    *count = remove_dropped(entries, *count);
    return true;
}
