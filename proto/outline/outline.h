/*
 * The samples that a schema reads from its messages, before the first one: a row for each name,
 * with the labels that it may have. The schema itself reads the rows from example messages
 * (example.h), as from datagrams.
 *
 * Lifecycle: make, read, clear. One thread. For commands, not for the datagram path: allocates
 * memory.
 */
#ifndef SLUICE_PROTO_OUTLINE_OUTLINE_H
#define SLUICE_PROTO_OUTLINE_OUTLINE_H

#include "collector/contract/schema.h"
#include "proto/types/growing_arena.h"

/* Rows beyond this number are left out. */
#define OUTLINE_ROWS_MAX ((size_t)20000)

struct outline_row {
    const char *name;
    enum sample_kind kind;
    const char *time;    /* path of the field with the sample's time; NULL: the arrival counts */
    const char **labels; /* keys, in the order of a line */
    size_t label_count, label_capacity;
    struct outline_row *chain; /* for outline.c */
};

struct outline {
    struct growing_arena memory;
    struct outline_row **rows; /* in the order of the messages */
    size_t count, capacity;
    bool cut; /* a limit is reached: there are more rows */
};

/*
 * Makes the rows for a schema from a file, created with the options that it is used with. Returns
 * 0, or -1 with `error` filled. Call outline_clear in either case.
 */
int outline_make(const struct schema *schema, struct outline *outline, struct error *error);
void outline_clear(struct outline *outline);

#endif
