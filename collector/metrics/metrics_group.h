/*
 * An array of rows of any type, for listeners, receiving threads or sinks. Each row has a name,
 * which is the label of its samples.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H
#define SLUICE_COLLECTOR_METRICS_METRICS_GROUP_H

#include <stddef.h>

struct metrics_group {
    const char *label;  /* the name of the label: "listener" */
    const char *of;     /* a part of the metric's name: "listener_" */
    const char *first;  /* the first row */
    size_t count, size; /* number of rows; bytes of one row */
    size_t name;        /* bytes from a row's begin to the pointer to its name */
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
