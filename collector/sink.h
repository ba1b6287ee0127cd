/*
 * A sink: a destination and an encoder, run by one thread that takes batches from its rings.
 *
 * Two interfaces that sinks/ implements, one file each, listed in one table (sinks/sinks.c): any
 * encoder works on any destination. All of their functions but create are called from the sink's
 * own thread only.
 */
#ifndef SLUICE_COLLECTOR_SINK_H
#define SLUICE_COLLECTOR_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/batch.h"
#include "collector/error.h"
#include "collector/schema.h"
#include "collector/text/output.h"
#include "collector/wakeup.h"

struct schema_slot;

/* What a record's lines say about where it came from. Immutable; outlives all batches. */
struct listener {
    uint32_t index;
    const char *name; /* its URL without the keys: "udp://127.0.0.1:5555", "pcap:FILE" */
    struct schema_slot *schemas;
    const char *schema_names; /* of all of them, for people */
    size_t max_decoded;       /* bytes that all messages of a datagram may take */
};

enum sink_view {
    VIEW_AUTO,    /* samples of a schema that has them, else the message */
    VIEW_SAMPLE,  /* one line per metric value; only for schemas that have samples */
    VIEW_MESSAGE, /* one line per message */
};

/* The encoder keys of a sink's URL. */
struct encoder_options {
    enum sink_view view;
    struct json_style json;
};

struct encoder;

/* Bytes of working memory that an encoder may take when it is made; the memory plan counts them. */
#define ENCODER_SCRATCH_SIZE ((size_t)512 * 1024)

/* Bytes that a file may have to begin with. */
#define ENCODER_HEAD_SIZE ((size_t)1024)

/* What a record left in the output: lines, and the metric values that they tell one by one. */
struct encoded {
    size_t lines;
    size_t samples;
    size_t json_fallbacks; /* values without a form in the JSON mapping (schema.h: write_json) */
};

struct encoder_ops {
    const char *name;   /* of format= */
    bool needs_samples; /* it tells samples alone: only for schemas that have them, no messages */

    /* Returns NULL where memory is short. */
    struct encoder *(*create)(const struct encoder_options *options);
    void (*destroy)(struct encoder *encoder);

    /*
     * Appends what a file begins with, whole lines of at most ENCODER_HEAD_SIZE bytes, always the
     * same. It is no record and counts as no line. NULL: a file begins with its first record.
     */
    void (*begin)(struct encoder *encoder, struct output *out);

    /*
     * Appends the record's lines, each ended by a newline, and returns how many. No line and
     * nothing appended: the record leaves none. What does not fit makes `out` overflow, and the
     * caller takes back what was appended.
     */
    struct encoded (*encode)(struct encoder *encoder, const struct listener *listener,
                             const struct record *record, struct output *out);
};

/* Every implementation begins with this. */
struct encoder {
    const struct encoder_ops *ops;
};

enum write_result {
    WRITE_OK,          /* *written bytes, at least one, were accepted */
    WRITE_WOULD_BLOCK, /* none: wait until the handle is writable */
    WRITE_FAILED,      /* none, and `error` says why; it may work later */
    WRITE_CLOSED,      /* none, and never again: the reader has gone */
};

struct destination;

struct destination_ops {
    const char *scheme; /* "file" of file:PATH */
    bool needs_path;    /* something must follow the colon; else nothing may */

    /* Opens it. Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE). */
    int (*create)(const char *path, struct destination **out, struct error *error);

    /* Writes a first part of `size` (≥ 1) bytes without blocking on a reader. */
    enum write_result (*write)(struct destination *destination, const void *bytes, size_t size,
                               size_t *written, struct error *error);

    /* What to wait for after WRITE_WOULD_BLOCK, and to watch for a reader that goes; NO_HANDLE. */
    wait_handle (*handle)(const struct destination *destination);

    /*
     * Takes back the last `size` bytes written, the beginning of a record whose end will not come
     * here. Returns false where that cannot be done. NULL: it never can.
     */
    bool (*take_back)(struct destination *destination, size_t size);

    /*
     * Whether nothing stands before what is written next: an empty file, or a pipe or the like that
     * was just opened. NULL: it has no beginning.
     */
    bool (*at_beginning)(const struct destination *destination);

    /* Closes and opens it anew under its name. NULL: it has no name. Returns as create does. */
    int (*reopen)(struct destination *destination, struct error *error);

    void (*destroy)(struct destination *destination);
};

/* Every implementation begins with this. */
struct destination {
    const struct destination_ops *ops;
};

#endif
