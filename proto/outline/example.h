/*
 * Makes example messages of a type, in JSON, that together contain every field. A list has one
 * element. A message can contain only one field of a oneof, so each further message contains the
 * next one. A command reads samples from these messages to show what a schema would read from real
 * ones.
 *
 * The text of a field is the field's name in braces. Each number is different, so that a value or a
 * time tells its field: it is EXAMPLE_FIRST plus the field's index. EXAMPLE_FIRST is a time in
 * seconds (in 2001), because a field that is recognised as a time by its name must contain a
 * plausible time.
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

/*
 * Limits: how often a type may contain itself, how deep messages nest, and the number of fields in
 * all messages together.
 */
#define EXAMPLE_REPEATS    2
#define EXAMPLE_DEPTH      40
#define EXAMPLE_FIELDS_MAX ((size_t)50000)

struct example_node;

struct example {
    struct growing_arena memory;
    struct example_node *root;
    const char **paths; /* path of the field of each number */
    size_t path_count, path_capacity;
    size_t fields, messages; /* written so far */
    bool cut;      /* a limit is reached: further fields are left out */
    bool failed;   /* memory is short */
};

/* Returns false if memory is short; call example_clear in either case. */
bool example_begin(struct example *example, const struct message_type *type);
void example_clear(struct example *example);

/*
 * Appends the next message to `out`. Sets *more if a further message will have fields that no
 * message had so far. Returns false if memory is short; `out` may overflow.
 */
bool example_write(struct example *example, struct output *out, bool *more);

/*
 * Returns the path of the field whose number was read as this time, in any unit from s to ns; NULL:
 * the time is not one of the example's numbers.
 */
const char *example_path_of_time(const struct example *example, int64_t time_ns);

#endif
