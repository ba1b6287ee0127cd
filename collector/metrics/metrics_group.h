/*
 * An array of rows of any type, for listeners, receiving threads or sinks. Each row has a name,
 * which is the label of its samples.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H
#define SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H

#include <stddef.h>

struct metrics_group {
    const char *label;  /* name of the label: "listener" */
    const char *of;     /* part of the metric's name: "listener_" */
    const char *first;  /* the first row */
    size_t count, size; /* number of rows, and size of a row in bytes */
    size_t name;        /* offset in a row of the pointer to its name */
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
