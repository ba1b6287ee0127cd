/*
 * Reads samples from messages whose meaning only the user knows. The user configures the paths
 * (field_path.h) of the value, the name, the time and the labels.
 *
 * Paths may lead through nested repeated fields. All of them must lead through the same ones, from
 * the outermost as far as each path goes. A value's path makes a sample for each element of its
 * innermost repeated field that has the value. The sample has the labels, the name and the time of
 * its element and of the elements around it. If there are several values, each makes its own
 * samples. Constant once parsed; any thread.
 */
#ifndef SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H
#define SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H

#include "collector/contract/schema.h"
#include "collector/text/text.h"
#include "proto/runtime/field_path.h"

#define MAPPING_VALUES 32
#define MAPPING_LABELS 32

/* A path and its name: that of the last field, or NAME in "NAME:PATH". */
struct named_path {
    struct field_path path;
    char *name; /* owned */
    size_t name_size;
};

/* A part of a time. */
struct sample_time {
    struct field_path path;
    int64_t unit; /* nanoseconds of a unit; 0 if the field is a Timestamp */
};

/* The most parts of a time, such as seconds and nanoseconds. */
#define SAMPLE_TIMES ((size_t)2)

struct sample_mapping {
    struct named_path *values; /* owned */
    size_t value_count;        /* 0: the schema has no samples */
    struct named_path *labels; /* owned */
    size_t label_count;
    struct field_path name;                 /* count is 0: the value's path has the name */
    struct sample_time times[SAMPLE_TIMES]; /* their sum is the time */
    size_t time_count;                      /* 0: no time */
    struct field_path
        way; /* the path with the most repeated fields; its count is 0 if no path has one */
};

/*
 * The paths that exist for at least one choice of types, if a schema's types depend on a text
 * (nested.h). The paths of all options are numbered together, in their order.
 */
#define MAPPING_PATHS (MAPPING_VALUES + MAPPING_LABELS + 1 + SAMPLE_TIMES)
struct mapping_paths {
    bool probing; /* first pass: skips missing paths, and notes the others in `led` */
    bool led[MAPPING_PATHS];
};

/*
 * Parses the options. `value` and `labels` are comma-separated lists of "PATH" or "NAME:PATH".
 * `time` is the "PATH" of a Timestamp, the "PATH:UNIT" of a number (s, ms, us, ns), or two such
 * numbers with a plus sign between them. A label's path may lead to a map with string keys, each
 * of which becomes a label. `paths` is NULL if there is only one set of types. Otherwise a path
 * that does not exist in `type` is skipped if paths->probing is set, or if it was found before
 * (paths->led). Returns false with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if
 * memory is short). Call sample_mapping_clear in either case.
 *
 * Entries of `value` that end with "*" are skipped: proto/wildcard/ reads them. If there are any,
 * entries of `labels` that cannot be labels of these samples are skipped, too, because they may
 * belong to the other samples.
 */
bool sample_mapping_parse(const struct message_type *type, const struct schema_options *options,
                          struct mapping_paths *paths, struct sample_mapping *mapping,
                          struct error *error);
void sample_mapping_clear(struct sample_mapping *mapping);

/* A part of the option `time`, as texts in it. unit.data is NULL without a unit. */
struct time_part {
    struct text path, unit;
};

/*
 * Splits the option `time`. Returns the number of its parts, or 0 with `error` filled if there are
 * more than SAMPLE_TIMES.
 */
size_t sample_time_split(const char *option, struct time_part parts[SAMPLE_TIMES],
                         struct error *error);

/*
 * Checks that the last field of the path can be a part of the option `time`, which has `count`
 * parts: a number with a unit (s, ms, us, ns), or a Timestamp without one as the only part. Sets
 * *nanoseconds to the length of the unit, or to 0 for a Timestamp. Returns false with `error`
 * filled.
 */
bool sample_time_check(const struct field_path *path, const struct text *unit, size_t count,
                       int64_t *nanoseconds, struct error *error);

/* Implement the operations of the same names in struct schema_ops. */
bool sample_mapping_next(const struct sample_mapping *mapping, const ProtobufCMessage *message,
                         struct schema_cursor *cursor, struct sample *sample);
bool sample_mapping_next_label(const struct sample_mapping *mapping,
                               const ProtobufCMessage *message, const struct sample *sample,
                               struct schema_cursor *cursor, struct label *label);

#endif
