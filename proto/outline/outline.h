/*
 * Lists the samples that a schema can read, before a message has arrived: a row for each name of
 * samples, with the labels that these samples can have. The schema reads the samples from example
 * messages (example.h), as it does from datagrams.
 *
 * Lifecycle: make, read, clear. One thread. For commands, not for the datagram path: allocates
 * memory.
 */
#ifndef SLUICE_PROTO_OUTLINE_OUTLINE_H
#define SLUICE_PROTO_OUTLINE_OUTLINE_H

#include "collector/contract/schema.h"
#include "proto/types/growing_arena.h"

/* The most rows; further ones are left out. */
#define OUTLINE_ROWS_MAX ((size_t)20000)

struct outline_row {
    const char *name;
    enum sample_kind kind;
    const char *time;    /* path of the field with the time, or NULL: the time of arrival */
    const char **labels; /* keys, in the order of a line */
    size_t label_count, label_capacity;
    struct outline_row *chain; /* for outline.c */
};

struct outline {
    struct growing_arena memory;
    struct outline_row **rows; /* in the order of the messages */
    size_t count, capacity;
    bool cut; /* a limit was reached: rows are missing */
};

/*
 * Makes the rows for a schema from a file, which was created with the options that it will have.
 * Returns 0, or -1 with `error` filled. Call outline_clear in either case.
 */
int outline_make(const struct schema *schema, struct outline *outline, struct error *error);
void outline_clear(struct outline *outline);

#endif
