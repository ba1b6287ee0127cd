/* Sorts with heap sort, which needs neither recursion nor more memory. */
#include "proto/message/order.h"

#include <string.h>

int message_compare(const struct field_type *key, const ProtobufCMessage *a,
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

static bool is_less(const struct field_type *key, const ProtobufCMessage *const *messages,
                    uint32_t a, uint32_t b)
{
    int order = message_compare(key, messages[a], messages[b]);
    return order != 0 ? order < 0 : a < b;
}

static void sift_down(const struct field_type *key, const ProtobufCMessage *const *messages,
                      uint32_t *order, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && is_less(key, messages, order[child], order[child + 1]))
            child++;
        if (!is_less(key, messages, order[root], order[child]))
            return;
        uint32_t held = order[root];
        order[root] = order[child];
        order[child] = held;
    }
}

uint32_t *message_order(const struct field_type *key, const ProtobufCMessage *const *messages,
                        size_t count, struct arena *arena)
{
    uint32_t *order = arena_allocate(arena, count * sizeof *order);
    if (order == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count / 2; i-- > 0;)
        sift_down(key, messages, order, i, count);
    for (size_t left = count; left-- > 1;) {
        uint32_t largest = order[0];
        order[0] = order[left];
        order[left] = largest;
        sift_down(key, messages, order, 0, left);
    }
    return order;
}
