/*
 * A destination: where an encoder's bytes go.
 *
 * An interface, in four kinds: a stream takes bytes as they come, a file set takes blocks of whole
 * records, a relay takes datagrams one by one, a delivery takes blocks and reports later what
 * became of them. sinks/destinations/ implements it, one file each, and sinks/sinks.c lists all of
 * them. After create, only the sink's thread calls a destination.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/contract/broker_options.h"
#include "collector/contract/client_tls.h"
#include "collector/contract/delivery.h"
#include "collector/contract/delivery_figures.h"
#include "collector/contract/listener.h"
#include "collector/contract/record.h"
#include "collector/platform/disk_room.h"
#include "collector/platform/wakeup.h"
#include "collector/platform/write_result.h"

struct compression_ops;
struct destination;
struct encoder_ops;
struct sink_counters;

/* Of a reader that may end, and be followed by another one. */
enum reader_state {
    READER_READS,
    READER_ENDED,   /* since it was last asked; what it had not read is lost */
    READER_AWAITED, /* there is none at present */
};

/* When written bytes are made to reach the disk (fsync). */
enum file_sync { SYNC_NEVER, SYNC_INTERVAL, SYNC_CLOSE, SYNC_ALWAYS /* of a spill: each block */ };

/* The keys of a sink's URL that are about files. Times in nanoseconds, sizes in bytes. */
struct file_options {
    uint64_t rotate_size;     /* 0: not by size */
    uint64_t rotate_interval; /* 0: not by time */
    uint64_t keep;            /* complete files, or their periods, of one kind that stay; 0: all */
    uint64_t keep_time;       /* nanoseconds that complete files stay; 0: for ever */
    uint64_t keep_size;       /* bytes of complete files that stay; 0: all */
    uint64_t max_files;       /* different paths between two rotations */
    enum file_sync sync;
    const struct compression_ops *compression; /* NULL: none */
    struct disk_reserve reserve; /* what stays free of the disk: the program's, and no key */
    bool written; /* of check: a sink that goes is writing the file, perhaps within a line */
};

/* The most addresses that a relay sends to. */
#define RELAY_TARGETS_MOST 16

/* The keys of a sink's URL that are about a relay, and the addresses that stand before them. */
struct relay_options {
    struct address targets[RELAY_TARGETS_MOST];
    size_t target_count;
    bool to_turn;     /* each datagram goes to one of them, in turn; else to all */
    bool raw;         /* it also sends what could not be decoded */
    bool keep_source; /* under the address of its first sender; else under the system's */
};

/* The keys of a sink's URL that are about HTTP; NULL where one was not given. */
struct http_options {
    char *query; /* without the question mark; %26 in it is an ampersand, and so on */
    /* Files of secrets, of which nothing is ever shown; they are read again at a reload. */
    char *header_file;   /* each line a header */
    char *token_file;    /* its first line is the token */
    char *password_file; /* its first line is USER:PASSWORD */
};

/* What a destination is made from. All of it outlives the destination. */
struct destination_options {
    const char *name; /* of the sink, for the log */
    const char *path;
    struct file_options file;
    struct relay_options relay;
    struct http_options http;
    struct client_tls tls;
    struct broker_options broker;
    uint64_t timeout_ns;       /* of a delivery: how long a block is sent for */
    bool spills;               /* of a delivery: it is sent without end, what waits lies on disk */
    enum delivery_retry retry; /* of a delivery: whether what may be there is sent again */
    size_t in_flight;          /* of a delivery: blocks that are handed over at a time, at most */
    size_t block_size;         /* of a delivery: bytes of a block, at most */
    uint64_t flush_interval;   /* nanoseconds that records may be collected for */
    uint64_t stall_timeout_ns; /* what a reader that is replaced gets to read the rest */
    const struct encoder_ops *encoder; /* what is written */

    /* Below: only for create, not for shape. */
    const char *head; /* what a file begins with */
    size_t head_size;
    struct sink_counters *counters;
    struct wakeup *wakeup; /* of the sink's thread: any thread may signal it */
};

/* Nanoseconds between two times that SYNC_INTERVAL is about. */
static inline int64_t file_sync_interval(const struct destination_options *options)
{
    const uint64_t second = 1000000000;
    return (int64_t)(options->flush_interval > second ? options->flush_interval : second);
}

/* How a destination is going to take records. */
struct destination_shape {
    size_t blocks;     /* of a file set: files that are filled at the same time; 0: it is none */
    size_t block_size; /* of a file set: bytes that are collected for each, if no record has more */
    bool arranged;     /* of a file set: a block is arranged, and written as a file of its own */
    size_t memory;     /* bytes that it takes, with its library's own, less the blocks */
};

/* Bytes of what a probe says of a far end that it has reached, with the NUL that ends it. */
#define DESTINATION_REACHED_SIZE 512

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
     * whether it would take records. It gets none, and nothing changes there. Returns 0 with what
     * was reached in `reached`, which has DESTINATION_REACHED_SIZE bytes; or -1 with `error`
     * filled: EXIT_CODE_NOT_REACHED where it is not there or takes nothing now, EXIT_CODE_CONFIG
     * where it refuses what the options say. After check; main thread. NULL: there is nothing to
     * connect to.
     */
    int (*probe)(const struct destination_options *options, int64_t timeout_ns, char *reached,
                 struct error *error);

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

/* A destination that takes bytes as they come, perhaps a part of a record at a time. */
struct stream_ops {
    /*
     * Called between two records, before more is written: looks whether what is written to is still
     * what its name says, and opens it anew where it is not; and whether somebody has emptied or
     * cut it, and puts its end right. NULL: it has no name.
     */
    void (*prepare)(struct destination *destination);

    /*
     * Whether prepare would do something, or somebody has emptied or cut what has no name: asked
     * while writes fail. NULL: neither happens.
     */
    bool (*was_moved)(struct destination *destination);

    /* Writes a first part of `size` (≥ 1) bytes without blocking on a reader: *written bytes. */
    enum write_result (*write)(struct destination *destination, const void *bytes, size_t size,
                               size_t *written, struct error *error);

    /*
     * After WRITE_WOULD_BLOCK, where the same bytes are not offered again: ends what is on its way
     * of them, without waiting for the reader, and returns how many, from the first on, were
     * accepted all the same. NULL: none ever are.
     */
    size_t (*cancel)(struct destination *destination);

    /* What to wait for after WRITE_WOULD_BLOCK, and to watch for a reader that goes; NO_HANDLE. */
    wait_handle (*handle)(const struct destination *destination);

    /*
     * Takes back the last `size` bytes written, the beginning of a record whose end will not come
     * here; those that somebody has cut off are gone already. Returns false where that cannot be
     * done. NULL: it never can.
     */
    bool (*roll_back)(struct destination *destination, size_t size);

    /*
     * What roll_back could not take back stays, and its end will not come: whoever writes there
     * next, perhaps another destination of the same place, begins on a line of its own. NULL:
     * nobody writes there next, or finds out by looking.
     */
    void (*leave_torn)(struct destination *destination);

    /*
     * Whether nothing stands before what is written next: an empty file, or a pipe or the like that
     * was just opened. NULL: it has no beginning.
     */
    bool (*at_beginning)(const struct destination *destination);

    /*
     * Whether somebody looks on (a terminal): then each record is written by itself and at once,
     * whatever flush_interval is, and its control characters are hidden, except the ends of lines.
     * NULL: nobody does.
     */
    bool (*is_watched)(const struct destination *destination);

    /* Closes and opens it anew under its name. NULL: it has no name. Returns as create does. */
    int (*reopen)(struct destination *destination, struct error *error);

    /* When tick is to be called (monotonic), INT64_MAX: not at all. NULL: never. */
    int64_t (*due)(const struct destination *destination);
    void (*tick)(struct destination *destination);

    /*
     * How far its reader is: *unread, of the bytes written, nobody has read yet. A record is
     * written when its last byte is read. READER_ENDED, returned once for each reader: those bytes
     * are lost, and what is written next goes to another reader, which begins with a record. tick
     * finds out when this changes; while there is no reader writes would block. NULL: what was
     * accepted is written, and a reader that goes does not come back.
     */
    enum reader_state (*progress)(struct destination *destination, size_t *unread);

    /*
     * Has the reader end when it has read all, and another one follow. `more`: it is still to be
     * given what is left of a block, and this is called again when it has that; but its time to
     * read it runs, and when that is over it ends all the same. NULL where progress is.
     */
    void (*restart)(struct destination *destination, bool more);

    /*
     * Last of all: has the reader end, when it has read all, or `now`; none follows. Called until
     * it returns true, each time with progress after it. NULL where progress is.
     */
    bool (*finish)(struct destination *destination, bool now);
};

/* Which block a record belongs to. */
struct file_set_route {
    size_t block;
    bool taken; /* it is another file's: write what it holds, then take_over */
    bool later; /* its time is later than that of any before: write all blocks first, so that of no
                   sender what came later is written while what came before is not */
};

/*
 * A destination of files that takes blocks of whole records: each is written whole or not at all,
 * and what a file begins with it writes itself.
 */
struct file_set_ops {
    /* NULL: there is one block. Files are only opened when a block is written. */
    struct file_set_route (*route)(struct destination *destination, const struct listener *listener,
                                   const struct record *record);

    /* Gives the empty block to the file of the record that was routed last. */
    void (*take_over)(struct destination *destination, size_t block);

    /* Writes a block of `size` (≥ 1) bytes. Returns WRITE_OK, or WRITE_FAILED: none of it. */
    enum write_result (*write)(struct destination *destination, size_t block, const void *bytes,
                               size_t size, struct error *error);

    /* When tick is to be called (monotonic), INT64_MAX: not before something is written. */
    int64_t (*due)(const struct destination *destination);

    /* Returns whether files are due for rotation: then blocks are written, and rotate called. */
    bool (*tick)(struct destination *destination);

    /*
     * Completes the files that are due, or all. What is in blocks goes to the next ones; where all
     * blocks are `empty`, other files may have them.
     */
    void (*rotate)(struct destination *destination, bool all, bool empty);

    /* Last of all: completes the files that there are. */
    void (*finish)(struct destination *destination);
};

/* What became of a datagram that a relay was given. */
enum relay_fate {
    RELAY_SENT,      /* to its target, or to all of them */
    RELAY_TOO_LARGE, /* it is longer than a way takes */
    RELAY_NO_SOURCE, /* its source cannot be kept: it is of another family */
    RELAY_FAILED,    /* the system did not send it */
};

struct relay_datagram {
    struct address source; /* who sent it first */
    const uint8_t *data;
    size_t size;

    /* Filled by the relay. Where it did not reach all targets, some may have it. */
    enum relay_fate fate;
    size_t sent; /* how many targets have it */
};

/* Datagrams that a relay is given at a time, at most. */
#define RELAY_MOST 64

/* A destination that takes datagrams whole. */
struct relay_ops {
    /*
     * Sends `count` (1 to RELAY_MOST) datagrams in their order, without waiting. Returns true when
     * each of them has its fate; `error` says why where one was not sent. Returns false where the
     * system has no room now: it is called again with the same ones, and no others before.
     */
    bool (*send)(struct destination *destination, struct relay_datagram *datagrams, size_t count,
                 struct error *error);

    /* Those that are on their way are given up: each has a fate, with the error as above. */
    void (*cancel)(struct destination *destination, struct relay_datagram *datagrams, size_t count);
};

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
