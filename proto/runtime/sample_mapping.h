/*
 * Reads samples from messages whose meaning only the user knows: the paths (field_path.h) of the
 * value, the name, the time and the labels.
 *
 * Paths may lead through nested repeated fields: the same ones for all paths, from the outermost as
 * far as a path goes. Each element of the innermost one of a value's path may have a sample, with
 * the labels, the name and the time of that element and of the enclosing ones. Every path of a
 * value makes separate samples. Immutable once made; any thread.
 */
#ifndef SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H
#define SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H

#include "collector/contract/schema.h"
#include "proto/runtime/field_path.h"

#define MAPPING_VALUES 32
#define MAPPING_LABELS 32

/* A path with its name: its last field's name, or the text before it in "NAME:PATH". */
struct named_path {
    struct field_path path;
    char *name; /* owned */
    size_t name_size;
};

struct sample_mapping {
    struct named_path values[MAPPING_VALUES];
    size_t value_count; /* 0: there are no samples */
    struct named_path labels[MAPPING_LABELS];
    size_t label_count;
    struct field_path name; /* count is 0: a sample has the name of its value's path */
    struct field_path time; /* count is 0: none */
    int64_t time_unit;      /* unit of a numeric time in nanoseconds; 0: it is a Timestamp */
    struct field_path way;  /* the path through most repeated fields; through none if count is 0 */
};

/*
 * For a schema whose types depend on a text of the message: the paths that exist in the types for
 * some text. The paths of all options are numbered together, in order.
 */
#define MAPPING_PATHS (MAPPING_VALUES + MAPPING_LABELS + 2)
struct mapping_paths {
    bool probing; /* a missing path is skipped; an existing one is recorded in `led` */
    bool led[MAPPING_PATHS];
};

/*
 * Parses the options: `value` and `labels` are comma-separated lists of "PATH" or "NAME:PATH",
 * `time` is a Timestamp's "PATH" or a number's "PATH:UNIT" (s, ms, us, ns). A label may be a map
 * with string keys, each of which is a label. A path that does not exist in `type` is skipped if
 * `paths` (NULL: there is one set of types) is probing or has found the path before. Returns false
 * with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if memory is short);
 * sample_mapping_clear frees the rest.
 */
bool sample_mapping_parse(const struct message_type *type, const struct schema_options *options,
                          struct mapping_paths *paths, struct sample_mapping *mapping,
                          struct error *error);
void sample_mapping_clear(struct sample_mapping *mapping);

/* Implement the operations of the same names in struct schema_ops. */
bool sample_mapping_next(const struct sample_mapping *mapping, const ProtobufCMessage *message,
                         struct schema_cursor *cursor, struct sample *sample);
bool sample_mapping_next_label(const struct sample_mapping *mapping,
                               const ProtobufCMessage *message, const struct sample *sample,
                               struct schema_cursor *cursor, struct label *label);

#endif
