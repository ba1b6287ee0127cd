/*
 * Makes example messages of a type, in JSON, that together have every field: a list has one
 * element, and of a oneof each message has another field. So a schema shows what it reads out of
 * messages that no sender has sent yet.
 *
 * Texts are the name of their field in braces. Each number is different, so that a value or a time
 * tells the field that it comes from: EXAMPLE_FIRST plus the field's index. It is a time in seconds
 * (2001), as a field that is called a time must have one.
 *
 * Lifecycle: begin, write a message until there are no more, clear. One thread. For commands, not
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

/* Limits: a type inside itself is written this often, and fields, in all messages together. */
#define EXAMPLE_REPEATS    2
#define EXAMPLE_DEPTH      40
#define EXAMPLE_FIELDS_MAX ((size_t)50000)

struct example_node;

struct example {
    struct growing_arena memory;
    struct example_node *root;
    const char **paths; /* of the numbers, by index */
    size_t path_count, path_capacity;
    size_t fields, messages; /* written so far */
    bool cut;      /* a limit is reached: further fields are left out */
    bool failed;   /* memory is short */
};

/* Returns false if memory is short; call example_clear in either case. */
bool example_begin(struct example *example, const struct message_type *type);
void example_clear(struct example *example);

/*
 * Appends the next message to `out`; *more tells whether another one has fields that no message had
 * so far. Returns false if memory is short; `out` may overflow.
 */
bool example_write(struct example *example, struct output *out, bool *more);

/*
 * Returns the path of the number that is the time, in nanoseconds and in any unit from s to ns;
 * NULL: it is not one of the example's numbers.
 */
const char *example_path_of_time(const struct example *example, int64_t time_ns);

#endif
