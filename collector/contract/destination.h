/*
 * A destination: where an encoder's bytes go.
 *
 * An interface, in four kinds: a stream takes bytes as they come (destination_stream.h), a file set
 * takes blocks of whole records (destination_files.h), a relay takes datagrams one by one
 * (destination_relay.h), a delivery takes blocks and reports later what became of them
 * (delivery.h). sinks/destinations/ implements it, one file each, and sinks/sinks.c lists all of
 * them; no other file asks which destination one is. It is made from destination_options.h. After
 * create, only the sink's thread calls a destination.
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
struct stream_ops;

/* What it is given, and so which operations it has. */
enum destination_takes {
    TAKES_BYTES,     /* lines: struct stream_ops; file_set_ops where its shape has blocks */
    TAKES_DATAGRAMS, /* what came, as it came: struct relay_ops */
    TAKES_BLOCKS,    /* of records, which it answers later: struct delivery_ops */
};

/* What follows the scheme and its colon. */
enum destination_place {
    PLACE_NOTHING,  /* nothing may follow */
    PLACE_OWN_TEXT, /* a text that is not empty, which only the destination reads */
    PLACE_FILES,    /* a path of files, perhaps with fields: made absolute where that is wanted */
    PLACE_TARGETS,  /* "ADDR:PORT,ADDR:PORT", which become the targets of struct relay_options */
    PLACE_COMMAND,  /* a line that a shell reads, and replaces variables in */
};

/* Which keys it has, in addition to those that every sink has. */
enum destination_keys {
    DESTINATION_KEYS_FILE = 1 << 5,
    DESTINATION_KEYS_RELAY = 1 << 6,
    DESTINATION_KEYS_DELIVERY = 1 << 9,
    DESTINATION_KEYS_HTTP = 1 << 10,
    DESTINATION_KEYS_KAFKA = 1 << 11,
    DESTINATION_KEYS_NATS = 1 << 12,
};

/* The kinds of fields in a path: with one of them it is the path of several files. */
struct path_fields {
    bool time;
    bool values; /* of a record: its source, its schema */
};

struct destination_ops {
    const char *scheme; /* "file" of file:PATH */
    const char *place;  /* what follows the colon, for people; NULL: "PATH" where anything may */
    enum destination_place place_is;
    unsigned keys; /* enum destination_keys, as bits */
    enum destination_takes takes;
    bool sends_requests; /* by HTTP: for formats that have an encoder_request */
    bool is_standard_output;

    /*
     * Of a delivery, about blocks that wait in a spill: what they are for, NULL: the scheme; and
     * the topic in the path, NULL: it has none. They are sent by a sink with the same of both.
     */
    const char *spilled_for;
    const char *(*topic)(const char *path);

    /*
     * The library that this program was built without, for people: it is refused by name, and has
     * none of the functions below but `library`. NULL: it is all there.
     */
    const char *absent;

    /*
     * The library that is loaded for it, for people; it returns NULL where this system has none.
     * NULL: it needs none.
     */
    const char *(*library)(void);

    /*
     * Reads the path after the colon and fills *fields. Returns false with *wrong_at (bytes into
     * the path) and *why (a constant, for people), or with *why NULL where memory is short. NULL:
     * it is not a path with fields.
     */
    bool (*read_path)(const char *path, struct path_fields *fields, size_t *wrong_at,
                      const char **why);

    /*
     * Whether its library takes that property; `error` says why not. A library that is not there
     * takes all. Main thread. NULL: it has no properties.
     */
    bool (*takes_property)(const char *name, const char *value, struct error *error);

    /*
     * Fills *shape. Changes nothing else, but needs memory: returns false where that is short.
     * NULL: a stream that takes no memory worth counting.
     */
    bool (*shape)(const struct destination_options *options, struct destination_shape *shape);

    /*
     * Whether create would find what it needs; makes and changes nothing. Returns 0, or -1 with
     * `error` filled (EXIT_CODE_CANNOT_CREATE). NULL: nothing can be said before.
     */
    int (*check)(const struct destination_options *options, struct error *error);

    /*
     * Tries the far end, for `timeout_ns` at most: its name, the connection, TLS, who we are, and
     * whether it would take records. It gets none, and nothing changes there. Fills *said with what
     * was reached and EXIT_CODE_OK; or with what is wrong and EXIT_CODE_NOT_REACHED where it is not
     * there or takes nothing now, EXIT_CODE_CONFIG where it refuses what the options say. After
     * check; main thread. NULL: there is nothing to connect to.
     */
    void (*probe)(const struct destination_options *options, int64_t timeout_ns,
                  struct error *said);

    /*
     * Opens it. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE; EXIT_CODE_CONFIG:
     * a binary format, and it is a terminal).
     */
    int (*create)(const struct destination_options *options, struct destination **out,
                  struct error *error);
};

/* As `library` in struct destination_ops, of what is absent. */
static inline const char *destination_no_library(void)
{
    return NULL;
}

/* What follows the colon in its URL, for people. */
static inline const char *destination_place(const struct destination_ops *ops)
{
    if (ops->place != NULL)
        return ops->place;
    return ops->place_is == PLACE_NOTHING ? "" : "PATH";
}

/* Every implementation begins with this. One of the four is not NULL. */
struct destination {
    const struct stream_ops *stream;
    const struct file_set_ops *file_set;
    const struct relay_ops *relay;
    const struct delivery_ops *delivery;

    /* Of a delivery: its figures, and which of them it has (DELIVERY_HAS); NULL: none. */
    const struct delivery_figures *figures;
    unsigned has_figures;

    void (*destroy)(struct destination *destination);
};

#endif
