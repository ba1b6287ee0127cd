/*
 * Reads the sender and the sequence number of a message. The option `sequence` is the path of the
 * number, and `sequence_key` lists the paths of the fields that name the sender. Constant once
 * parsed.
 */
#ifndef SLUICE_PROTO_RUNTIME_SENDER_H
#define SLUICE_PROTO_RUNTIME_SENDER_H

#include "collector/contract/schema.h"
#include "proto/runtime/field_path.h"

#define SENDER_KEYS 8

struct sender_paths {
    struct field_path number; /* count is 0: messages have no sequence numbers */
    struct field_path keys[SENDER_KEYS];
    size_t key_count;
};

/*
 * Parses the options: `number` is a path, `keys` is a comma-separated list of paths; either may be
 * NULL. Returns false with `error` filled (EXIT_CODE_CONFIG).
 */
bool sender_parse(const struct message_type *type, const char *number, const char *keys,
                  struct sender_paths *paths, struct error *error);

/*
 * Reads the message's number, and the sender as a text in `arena`. *numbered becomes true if the
 * message has a number. Returns false if the arena is full.
 */
bool sender_read(const struct sender_paths *paths, const ProtobufCMessage *message,
                 struct arena *arena, struct datagram_sequence *sequence, bool *numbered);

/* Returns true if both read the same number and the same sender from each message. */
bool sender_paths_equal(const struct sender_paths *a, const struct sender_paths *b);

#endif
