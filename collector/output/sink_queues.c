#include "collector/output/sink_queues.h"

#include <stdlib.h>

#include "collector/base/rule.h"

struct queue_list {
    struct queue_list *before; /* the list that this one has replaced; NULL if it is the first */
    size_t count;              /* number of queues; 0 only in the list `none` */
    struct batch_queue *queues[];
};

static const struct queue_list *list_of(const struct sink_queues *queues)
{
    static const struct queue_list none = {.count = 0};
    const struct queue_list *list = atomic_load_explicit(&queues->list, memory_order_acquire);
    return list != NULL ? list : &none;
}

struct batch_queue *sink_queues_add(struct sink_queues *queues, size_t capacity, size_t listeners,
                                    bool shared)
{
    RULE(capacity != 0, "a queue has room for a batch");
    struct queue_list *before = atomic_load(&queues->list);
    size_t count = before != NULL ? before->count : 0;
    struct queue_list *list = malloc(sizeof *list + (count + 1) * sizeof(struct batch_queue *));
    if (list == NULL)
        return NULL;
    struct batch_queue *queue = batch_queue_create(capacity, listeners, shared);
    if (queue == NULL) {
        free(list);
        return NULL;
    }
    for (size_t i = 0; i < count; i++)
        list->queues[i] = before->queues[i];
    list->queues[count] = queue;
    list->count = count + 1;
    list->before = before;
    atomic_store_explicit(&queues->list, list, memory_order_release);
    return queue;
}

void sink_queues_clear(struct sink_queues *queues)
{
    struct queue_list *list = atomic_load(&queues->list);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        batch_queue_destroy(list->queues[i]);
    while (list != NULL) {
        struct queue_list *before = list->before;
        free(list);
        list = before;
    }
}

/* --- the sink's thread ------------------------------------------------------------------------ */

struct batch *sink_queues_take(struct sink_queues *queues)
{
    const struct queue_list *list = list_of(queues);
    for (size_t i = 0; i < list->count; i++) {
        struct batch_queue *queue = list->queues[queues->next];
        queues->next = (queues->next + 1) % list->count;
        struct batch *batch = batch_queue_pop(queue);
        if (batch != NULL)
            return batch;
    }
    return NULL;
}

bool sink_queues_make_room(struct sink_queues *queues, void (*evict)(void *, struct batch *),
                           void *context)
{
    const struct queue_list *list = list_of(queues);
    bool asked = false;
    for (size_t i = 0; i < list->count; i++)
        asked |= batch_queue_make_room(list->queues[i], evict, context);
    return asked;
}

bool sink_queues_have_finished(const struct sink_queues *queues)
{
    const struct queue_list *list = list_of(queues);
    for (size_t i = 0; i < list->count; i++)
        if (!batch_queue_finished(list->queues[i]))
            return false;
    return true;
}

bool sink_queues_are_empty(const struct sink_queues *queues)
{
    const struct queue_list *list = list_of(queues);
    for (size_t i = 0; i < list->count; i++)
        if (!batch_queue_is_empty(list->queues[i]))
            return false;
    return true;
}

bool sink_queues_exceed(const struct sink_queues *queues, double share)
{
    const struct queue_list *list = list_of(queues);
    for (size_t i = 0; i < list->count; i++)
        if (batch_queue_backlog(list->queues[i]) > share)
            return true;
    return false;
}

/* --- the main thread -------------------------------------------------------------------------- */

struct queue_levels sink_queues_levels(const struct sink_queues *queues)
{
    const struct queue_list *list = list_of(queues);
    struct queue_levels levels = {0};
    for (size_t i = 0; i < list->count; i++) {
        if (batch_queue_finished(list->queues[i]))
            continue;
        levels.batches += batch_queue_level(list->queues[i]);
        levels.batches_most += batch_queue_capacity(list->queues[i]);
        levels.large += batch_queue_large_level(list->queues[i]);
        levels.large_most += batch_queue_large_limit(list->queues[i]);
        double fill = batch_queue_fill(list->queues[i]);
        levels.fill = fill > levels.fill ? fill : levels.fill;
    }
    return levels;
}
