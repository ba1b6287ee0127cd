/*
 * Makes example messages of a type, in JSON, that together contain every field. A command reads
 * samples from them, to show what a schema reads from real messages.
 *
 * A list has one element. A message can contain only one field of a oneof, so each further message
 * contains the next one. The text of a field is the field's name in braces. Each number is
 * different, so that the field of a value or a time can be found: it is EXAMPLE_FIRST plus the
 * field's index. EXAMPLE_FIRST is a time in seconds (in 2001), because a field whose name suggests
 * a time must have a plausible one.
 *
 * Lifecycle: begin, write messages until there are no more, clear. One thread. For commands, not
 * for the datagram path.
 */
#ifndef SLUICE_PROTO_OUTLINE_EXAMPLE_H
#define SLUICE_PROTO_OUTLINE_EXAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/text/output.h"
#include "proto/message/type.h"
#include "proto/types/growing_arena.h"

#define EXAMPLE_FIRST INT64_C(1000000000)

/*
 * The limits: how often a type may contain itself, how deep messages may be nested, and how many
 * fields all messages together may have.
 */
#define EXAMPLE_REPEATS    2
#define EXAMPLE_DEPTH      40
#define EXAMPLE_FIELDS_MAX ((size_t)50000)

struct example_node;

struct example {
    struct growing_arena memory;
    struct example_node *root;
    const char **paths; /* paths[i]: path of the field whose number is EXAMPLE_FIRST + i */
    size_t path_count, path_capacity;
    size_t fields, messages; /* written so far */
    bool cut;                /* a limit was reached: fields are missing */
    bool failed;             /* memory is short */
};

/* Returns false if memory is short; call example_clear in either case. */
bool example_begin(struct example *example, const struct message_type *type);
void example_clear(struct example *example);

/*
 * Appends the next message to `out`. Sets *more to true if a further message will have other
 * fields. Returns false if memory is short; `out` may overflow.
 */
bool example_write(struct example *example, struct output *out, bool *more);

/*
 * Returns the path of the field whose number was read as this time (in s, ms, us or ns), or NULL.
 */
const char *example_path_of_time(const struct example *example, int64_t time_ns);

#endif
