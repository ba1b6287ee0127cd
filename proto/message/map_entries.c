/*
 * Keeps only the last of several map entries with the same key. A few entries are compared with
 * each other; many are sorted first, because a datagram can contain tens of thousands of them. They
 * are sorted by heap sort, which needs no recursion, and which no sender can make slow.
 */
#include <string.h>

#include "proto/message/decoder.h"

static int compare_keys(const struct field_type *key, const ProtobufCMessage *a,
                        const ProtobufCMessage *b)
{
    const void *left = field_value(key, a);
    const void *right = field_value(key, b);
    if (key->kind != KIND_STRING)
        return memcmp(left, right, key->size);
    const ProtobufCBinaryData *x = left;
    const ProtobufCBinaryData *y = right;
    if (x->len != y->len)
        return x->len < y->len ? -1 : 1;
    return x->len == 0 ? 0 : memcmp(x->data, y->data, x->len);
}

/*
 * Marks an entry as dropped. Its descriptor can be overwritten, because no list will contain the
 * entry.
 */
static void drop(ProtobufCMessage *entry)
{
    entry->descriptor = NULL;
}

static void drop_among_few(const struct field_type *key, ProtobufCMessage **entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t later = i + 1; later < count; later++)
            if (compare_keys(key, entries[i], entries[later]) == 0) {
                drop(entries[i]);
                break;
            }
}

/* Whether entry `a` comes before entry `b`: by key, then by order of arrival. */
static bool is_less(const struct field_type *key, ProtobufCMessage *const *entries, uint32_t a,
                    uint32_t b)
{
    int order = compare_keys(key, entries[a], entries[b]);
    return order != 0 ? order < 0 : a < b;
}

static void sift_down(const struct field_type *key, ProtobufCMessage *const *entries,
                      uint32_t *order, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_less(key, entries, order[child], order[child + 1]))
            child++;
        if (!is_less(key, entries, order[root], order[child]))
            return;
        uint32_t held = order[root];
        order[root] = order[child];
        order[child] = held;
    }
}

static bool drop_among_many(struct decoder *decoder, const struct field_type *key,
                            ProtobufCMessage **entries, size_t count)
{
    size_t used = decoder->arena->used;
    uint32_t *order = decoder_allocate(decoder, count * sizeof *order);
    if (order == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(key, entries, order, i, count);
    for (size_t left = count; left-- > 1;) {
        uint32_t largest = order[0];
        order[0] = order[left];
        order[left] = largest;
        sift_down(key, entries, order, 0, left);
    }
    for (size_t i = 0; i + 1 < count; i++)
        if (compare_keys(key, entries[order[i]], entries[order[i + 1]]) == 0)
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
