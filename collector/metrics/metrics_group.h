/*
 * Listeners, receiving threads or sinks, whatever their rows are: each row has a name, which is the
 * label of its samples.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H
#define SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H

#include <stddef.h>

struct metrics_group {
    const char *label; /* what names one of them: "listener" */
    const char *of;    /* the same within a metric's name */
    const char *first;
    size_t count, size;
    size_t name; /* where the name stands in a row */
};

static inline const void *metrics_group_at(const struct metrics_group *group, size_t index)
{
    return group->first + index * group->size;
}

static inline const char *metrics_group_name(const struct metrics_group *group, const void *row)
{
    return *(const char *const *)(const void *)((const char *)row + group->name);
}

#endif
