/*
 * Everything that is set, value by value, with where each was written: for whoever shows the
 * configuration of a run. Main thread, while the configuration lives.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_WALK_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/config/config.h"
#include "collector/config/provenance.h"
#include "collector/config/setting.h"

enum config_part {
    CONFIG_OF_PROGRAM,      /* an option */
    CONFIG_OF_LISTENER,     /* its place (udp://...), or a key of it */
    CONFIG_OF_SINK,         /* the same */
    CONFIG_OF_DEAD_LETTERS, /* the same of dead letters */
};

/* Where a value comes from. */
struct config_origin {
    enum provenance_kind by;
    const struct option *option; /* whose value it is, or is in */
    const char *file;            /* of PROVENANCE_FILE, as its path was given */
    size_t line;                 /* in the file, counted from 1 */
};

struct config_value {
    enum config_part part;
    size_t index;  /* of the listener or the sink, as in struct config */
    size_t schema; /* of a listener: which of its schemas the key is of, counted from 1; 0: none */
    const struct setting *setting; /* the option or the key; NULL: the place */
    const char *name;              /* of the key, of which an open one has many; without an end */
    size_t name_length;            /* bytes; 0: the place has none */
    const char *text;              /* as a user writes it, without an end */
    size_t length;                 /* bytes */
    struct config_origin origin;
};

typedef void config_visitor(void *context, const struct config_value *value);

/*
 * Visits the options in the order of the help, those that may be repeated one after another; of a
 * listener, a sink or dead letters the place, then its keys; of a listener then its schemas, each
 * of which begins with the key `schema`. Keys that were not written are there with their default,
 * where they have one.
 */
void config_walk(const struct config *config, const struct config_registry *registry,
                 config_visitor *visit, void *context);

#endif
