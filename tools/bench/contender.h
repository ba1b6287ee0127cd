/*
 * Lists the receivers that the bench compares: variants of the collector, and null receivers, which
 * only discard datagrams. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_CONTENDER_H
#define SLUICE_TOOLS_BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

enum contender_kind {
    CONTENDER_BLOCKING, /* waits in recvmmsg(64, MSG_WAITFORONE) */
    CONTENDER_EDGE,     /* edge-triggered, drains by recvmmsg(64) until would-block */
    CONTENDER_PAUSE,    /* like CONTENDER_EDGE, but pauses for 500 us after each drain */
    CONTENDER_COLLECTOR,
};

#define CONTENDER_ARGUMENTS_MOST 16
#define CONTENDER_TEXT_SIZE      512

struct contender {
    enum contender_kind kind;
    const char *name;

    /* Only the collector uses the members below. */
    bool discards; /* its output is discarded, not kept in the bench's folder */
    /*
     * The URL of the sink without its keys. NULL means the null device if `discards` is set, and
     * otherwise a file in the bench's folder.
     */
    const char *to;
    const char *listener_keys; /* keys of its listener: "key=value&key=value", or "" */
    const char *sink_keys;     /* keys of its sink, in the same form */
    const char *arguments[CONTENDER_ARGUMENTS_MOST + 1]; /* further words of its command line */
    char text[CONTENDER_TEXT_SIZE];                      /* memory of the texts above */
};

#define CONTENDERS_MOST 16

struct contenders {
    struct contender items[CONTENDERS_MOST];
    size_t count;
};

/*
 * Fills the list with the null receivers, and the collector twice: with a JSON file ("json") and
 * without output ("null").
 */
void contenders_begin(struct contenders *contenders);

/*
 * Adds a variant of the collector. `text` is "NAME=WORD WORD...". The word "listen:KEYS" adds keys
 * to the listener, "sink:KEYS" adds keys to the sink, and "to:SINK" replaces the JSON file by
 * another sink. Any other word is an argument of the command line. A variant with the same name is
 * replaced. Returns 0, or -1 with `error` filled (EXIT_CODE_USAGE).
 */
int contenders_add(struct contenders *contenders, const char *text, struct error *error);

/* Returns the first contender of that kind, or NULL. */
const struct contender *contenders_of_kind(const struct contenders *contenders,
                                           enum contender_kind kind);

#endif
