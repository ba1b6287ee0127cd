/*
 * Visits every setting with its origin, for code that shows the configuration of a run. Main
 * thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_CONFIG_WALK_H
#define SLUICE_COLLECTOR_CONFIG_CONFIG_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "collector/config/config.h"
#include "collector/config/provenance.h"
#include "collector/config/setting.h"

enum config_part {
    CONFIG_OF_PROGRAM,      /* the program: an option */
    CONFIG_OF_LISTENER,     /* a listener: its URL without keys (udp://...), or one of its keys */
    CONFIG_OF_SINK,         /* a sink: its URL without keys, or one of its keys */
    CONFIG_OF_DEAD_LETTERS, /* dead letters: their URL without keys, or one of their keys */
};

/* The origin of a value. */
struct config_origin {
    enum provenance_kind by;
    const struct option *option; /* the option that has the value, or whose URL contains it */
    const char *file;            /* PROVENANCE_FILE: the path of the file, as given */
    size_t line;                 /* line in the file, counted from 1 */
};

struct config_value {
    enum config_part part;
    size_t index;  /* index of the listener or sink in struct config */
    size_t schema; /* number of the listener's schema that the key belongs to, from 1; 0: none */
    const struct setting *setting; /* the option or key; NULL means the URL without keys */
    const char *name;              /* name of the key (an open key has many names); not
                                      NUL-terminated */
    size_t name_length;            /* in bytes; 0 if `setting` is NULL */
    const char *text;              /* the value as a user writes it; not NUL-terminated */
    size_t length;                 /* bytes */
    struct config_origin origin;
};

typedef void config_visitor(void *context, const struct config_value *value);

/*
 * Visits the options in the order of the help; all values of a repeatable option follow each other.
 * For a listener, a sink or dead letters, visits the URL without keys and then the keys. A
 * listener's own keys come first, then the keys of each of its schemas, which begin with `schema`.
 * A key that was not given is visited with its default, if it has one.
 */
void config_walk(const struct config *config, const struct config_registry *registry,
                 config_visitor *visit, void *context);

#endif
