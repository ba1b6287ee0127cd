/*
 * The receivers that are compared: null receivers, which discard what they receive and are the
 * yardsticks, and the collector, with its defaults or with other keys. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_BENCH_CONTENDER_H
#define SLUICE_TOOLS_BENCH_CONTENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

enum contender_kind {
    CONTENDER_BLOCKING, /* waits in recvmmsg(64, MSG_WAITFORONE) */
    CONTENDER_EDGE,     /* edge-triggered, drains by recvmmsg(64) until would-block */
    CONTENDER_PAUSE,    /* the same, and pauses for 500 us after each drain */
    CONTENDER_COLLECTOR,
};

#define CONTENDER_ARGUMENTS_MOST 16
#define CONTENDER_TEXT_SIZE      512

struct contender {
    enum contender_kind kind;
    const char *name;

    /* For the collector only. */
    bool discards;             /* it writes no file of the bench */
    const char *to;            /* its sink without keys; NULL: a file of the bench, or the null
                                  device */
    const char *listener_keys; /* "key=value&key=value", or "" */
    const char *sink_keys;     /* the same */
    const char *arguments[CONTENDER_ARGUMENTS_MOST + 1]; /* other words of its command line */
    char text[CONTENDER_TEXT_SIZE];                      /* buffer that these point into */
};

#define CONTENDERS_MOST 16

struct contenders {
    struct contender items[CONTENDERS_MOST];
    size_t count;
};

/* The null receivers, and the collector with a JSON file ("json") and without output ("null"). */
void contenders_begin(struct contenders *contenders);

/*
 * Adds the collector with other keys, writing a JSON file unless the keys say otherwise: "NAME=WORD
 * WORD...", where listen:KEYS and sink:KEYS are keys of its listeners and sinks, to:SINK is a sink
 * instead of the file, and any other word is added to its command line. An existing name is
 * redefined. Returns 0, or -1 with `error` filled (EXIT_CODE_USAGE).
 */
int contenders_add(struct contenders *contenders, const char *text, struct error *error);

/* The first contender of that kind, or NULL. */
const struct contender *contenders_of_kind(const struct contenders *contenders,
                                           enum contender_kind kind);

#endif
