/*
 * A destination: where an encoder's bytes go.
 *
 * An interface of four kinds: a stream takes any bytes (destination_stream.h), a file set takes
 * blocks of whole records (destination_files.h), a relay takes datagrams (destination_relay.h), a
 * delivery takes blocks and reports their outcome later (delivery.h). Each file in
 * sinks/destinations/ implements one destination, and sinks/sinks.c lists them; no other file
 * depends on a particular destination. A destination is created from destination_options.h. After
 * create, only the sink's thread calls it.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/contract/destination_options.h"

struct delivery_figures;
struct delivery_ops;
struct destination;
struct file_set_ops;
struct relay_ops;
struct setting;
struct stream_ops;

/* The input of a destination, which decides the operations that it has. */
enum destination_takes {
    TAKES_BYTES,     /* lines: struct stream_ops, or file_set_ops if `shape` reports blocks */
    TAKES_DATAGRAMS, /* datagrams as they were received: struct relay_ops */
    TAKES_BLOCKS,    /* blocks of records, with a later answer: struct delivery_ops */
};

/* The syntax of the part after the scheme and the colon in a destination's URL. */
enum destination_place {
    PLACE_NOTHING,  /* nothing may follow */
    PLACE_OWN_TEXT, /* a non-empty text that only the destination parses */
    PLACE_FILES,    /* a file path, perhaps with fields; it can be made absolute */
    PLACE_TARGETS,  /* "ADDR:PORT,ADDR:PORT": the targets of struct relay_options */
    PLACE_COMMAND,  /* a shell command line */
};

/* The groups of keys that a destination has in addition to the keys of every sink. */
enum destination_keys {
    DESTINATION_KEYS_FILE = 1 << 5,
    DESTINATION_KEYS_RELAY = 1 << 6,
    DESTINATION_KEYS_DELIVERY = 1 << 9,
    DESTINATION_KEYS_HTTP = 1 << 10,
    DESTINATION_KEYS_KAFKA = 1 << 11,
    DESTINATION_KEYS_NATS = 1 << 12,
    DESTINATION_KEYS_IN_FLIGHT = 1 << 13, /* the key in_flight=, for deliveries other than HTTP,
                                           * Kafka and NATS */
};

/* The kinds of fields in a path. A path with fields names several files. */
struct path_fields {
    bool time;
    bool values; /* fields of a record, for example its source or schema */
};

/*
 * Names that a part of the configuration uses in a folder: the names of a sink's files, or one
 * name.
 */
struct used_names {
    const char *text;                     /* relative to the folder; the text of a sink may have
                                             fields */
    const struct sink_settings *settings; /* settings of the sink; NULL if `text` is the only
                                             name */
};

struct destination_ops {
    const char *scheme; /* "file" in file:PATH */
    /* The text after the colon, for help texts; NULL: "PATH", or "" for PLACE_NOTHING. */
    const char *place;
    enum destination_place place_is;
    unsigned keys; /* enum destination_keys, as bits */

    /*
     * The keys that only this destination has, up to a row without a name. NULL if it has none.
     * Their offsets are in the destination's own struct, which config fills in sink_settings.own.
     * Values are numbers, choices (SETTING_BOOL, SETTING_ENUM) or texts.
     */
    const struct setting *own_keys;

    enum destination_takes takes;
    bool sends_requests; /* it sends blocks as HTTP requests (encoder_request) */
    bool encrypts;       /* it always uses TLS */
    bool is_standard_output;

    /*
     * For a delivery's spill (records that wait on disk). Blocks on disk contain `spilled_for` (the
     * scheme if that is NULL) and the topic in the path (none if `topic` is NULL). Only a sink with
     * the same destination and topic may send them.
     */
    const char *spilled_for;
    const char *(*topic)(const char *path);

    /*
     * The name of the library that is missing in this build, for an error message. The functions
     * below are then missing. NULL if the destination is available.
     */
    const char *absent;

    /*
     * Returns the name and version of the library that was loaded for the destination, or a text
     * that this system does not have it. NULL if the destination needs no library.
     */
    const char *(*library)(void);

    /*
     * Parses the path after the colon and fills *fields. Returns false with *wrong_at (bytes into
     * the path) and *why (a constant, for messages); *why is NULL if memory is short. NULL if paths
     * have no fields.
     */
    bool (*read_path)(const char *path, struct path_fields *fields, size_t *wrong_at,
                      const char **why);

    /*
     * Returns true if both parts of the configuration may use the same name in this folder. At
     * least one of them is a sink of this destination. NULL if read_path is NULL.
     */
    bool (*names_meet)(const struct used_names *a, const struct used_names *b);

    /*
     * Returns true if the destination's library accepts the property, or if the library is not
     * installed. Returns false with the reason in `error`. Main thread. NULL if the destination has
     * no properties.
     */
    bool (*takes_property)(const char *name, const char *value, struct error *error);

    /*
     * Fills *shape, without other effects. Returns false if memory is short. NULL for a stream
     * whose memory is too small to be counted.
     */
    bool (*shape)(const struct destination_options *options, struct destination_shape *shape);

    /*
     * Checks that create would succeed, as far as possible without changing anything. Returns 0, or
     * -1 with `error` filled (EXIT_CODE_CANNOT_CREATE). NULL if there is no such check.
     */
    int (*check)(const struct destination_options *options, struct error *error);

    /*
     * Tries to reach the far end for at most `timeout_ns`: name lookup, connection, TLS,
     * credentials, and whether it would accept records. Sends no record and changes nothing at the
     * far end. Fills *said: EXIT_CODE_OK and what was reached; EXIT_CODE_NOT_REACHED if the far end
     * is unreachable or unavailable now; EXIT_CODE_CONFIG if the far end refuses the options.
     * Called after check; main thread. NULL if there is no far end.
     */
    void (*probe)(const struct destination_options *options, int64_t timeout_ns,
                  struct error *said);

    /*
     * Opens the destination. Returns 0 with *out, which the caller frees by its `destroy`, or -1
     * with `error` filled (EXIT_CODE_CANNOT_CREATE; EXIT_CODE_CONFIG for a binary format on a
     * terminal).
     */
    int (*create)(const struct destination_options *options, struct destination **out,
                  struct error *error);
};

/* Returns the part after the colon in the destination's URL, for help texts. */
static inline const char *destination_place(const struct destination_ops *ops)
{
    if (ops->place != NULL)
        return ops->place;
    return ops->place_is == PLACE_NOTHING ? "" : "PATH";
}

/* The first member of every implementation. Exactly one of the four pointers is not NULL. */
struct destination {
    const struct stream_ops *stream;
    const struct file_set_ops *file_set;
    const struct relay_ops *relay;
    const struct delivery_ops *delivery;

    /*
     * A delivery's figures, and bits for the figures that it maintains (DELIVERY_HAS). NULL for
     * other destinations.
     */
    const struct delivery_figures *figures;
    unsigned has_figures;

    void (*destroy)(struct destination *destination);
};

#endif
