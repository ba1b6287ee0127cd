/*
 * How samples are read from messages whose meaning only their user knows: where the value, the
 * name, the time and the labels stand, as paths of fields (field_path.h).
 *
 * Paths may lead through repeated fields, one inside the other: the same ones for all paths, from
 * the outermost as far in as a path goes. Each element of the innermost one of a value's path is a
 * place for a sample of it, which has the labels, the name and the time of that element and of
 * those around it. Every path of a value is a sample of its own. Immutable once made; any thread.
 */
#ifndef SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H
#define SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H

#include "collector/contract/schema.h"
#include "proto/runtime/field_path.h"

#define MAPPING_VALUES 32
#define MAPPING_LABELS 32

/* A path with what it is called: its last field's name, or what stands before it as "NAME:". */
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
    struct field_path name; /* count is 0: a sample is called as its value's path */
    struct field_path time; /* count is 0: none */
    int64_t time_unit;      /* nanoseconds that a time's number counts; 0: it is a Timestamp */
    struct field_path way;  /* the path through most repeated fields; of none where count is 0 */
};

/*
 * Of a schema whose types depend on a text of the message: which paths lead somewhere in the types
 * for some text. Those of all options, in their order, are counted together.
 */
#define MAPPING_PATHS (MAPPING_VALUES + MAPPING_LABELS + 2)
struct mapping_paths {
    bool probing; /* a path that leads nowhere is left out; one that does is noted in `led` */
    bool led[MAPPING_PATHS];
};

/*
 * Reads what the options say: `value` and `labels` are lists with commas of "PATH" or "NAME:PATH",
 * `time` is a Timestamp's "PATH" or a number's "PATH:UNIT" (s, ms, us, ns). A label may be a map
 * with strings as keys, each a label of its own. A path that leads nowhere in `type` is left out
 * where `paths` (NULL: there is one set of types) says that it is probing, or that the path led
 * somewhere. Returns false with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL where
 * memory is short); sample_mapping_clear frees what there is.
 */
bool sample_mapping_parse(const struct message_type *type, const struct schema_options *options,
                          struct mapping_paths *paths, struct sample_mapping *mapping,
                          struct error *error);
void sample_mapping_clear(struct sample_mapping *mapping);

/* For the operations of the same names in struct schema_ops. */
bool sample_mapping_next(const struct sample_mapping *mapping, const ProtobufCMessage *message,
                         struct schema_cursor *cursor, struct sample *sample);
bool sample_mapping_next_label(const struct sample_mapping *mapping,
                               const ProtobufCMessage *message, const struct sample *sample,
                               struct schema_cursor *cursor, struct label *label);

#endif
