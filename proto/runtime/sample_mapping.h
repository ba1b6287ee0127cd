/*
 * Reads samples from messages whose meaning only the user knows: the user gives the paths
 * (field_path.h) of the value, the name, the time and the labels.
 *
 * Paths may lead through nested repeated fields. All paths must go through the same repeated
 * fields, from the outermost as far as each path goes. A value's path makes one sample for each
 * element of its innermost repeated field in which the value is present. That sample has the
 * labels, the name and the time of its element and of the enclosing elements. If there are several
 * paths of values, each makes its own samples. Immutable once made; any thread.
 */
#ifndef SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H
#define SLUICE_PROTO_RUNTIME_SAMPLE_MAPPING_H

#include "collector/contract/schema.h"
#include "collector/text/text.h"
#include "proto/runtime/field_path.h"

#define MAPPING_VALUES 32
#define MAPPING_LABELS 32

/* A path and its name, which is the name of the last field, or NAME in "NAME:PATH". */
struct named_path {
    struct field_path path;
    char *name; /* owned */
    size_t name_size;
};

/* A part of a time. */
struct sample_time {
    struct field_path path;
    int64_t unit; /* nanoseconds in a unit of a number; 0: a Timestamp */
};

/* The most parts of a time: seconds, and the rest of them. */
#define SAMPLE_TIMES ((size_t)2)

struct sample_mapping {
    struct named_path *values; /* owned */
    size_t value_count;        /* 0: the schema has no samples */
    struct named_path *labels; /* owned */
    size_t label_count;
    struct field_path name; /* count is 0: a sample has the name of its value's path */
    struct sample_time times[SAMPLE_TIMES]; /* the time is their sum */
    size_t time_count;                      /* 0: samples have no time */
    struct field_path way; /* the path with most repeated fields; count is 0: no path has any */
};

/*
 * Used if a schema's types depend on a text of the message (nested.h): which paths exist in the
 * types for at least one text. The paths of all options are numbered together, in order.
 */
#define MAPPING_PATHS (MAPPING_VALUES + MAPPING_LABELS + 1 + SAMPLE_TIMES)
struct mapping_paths {
    bool probing; /* first pass: skips missing paths and records existing ones in `led` */
    bool led[MAPPING_PATHS];
};

/*
 * Parses the options: `value` and `labels` are comma-separated lists of "PATH" or "NAME:PATH";
 * `time` is the "PATH" of a Timestamp, the "PATH:UNIT" of a number (s, ms, us, ns), or two such
 * numbers with a plus sign between them. A path of a label may lead to a map with string keys, each
 * of which is a label. `paths` is NULL if there is only one set of types. Otherwise a path that
 * does not exist in `type` is skipped if paths->probing is set, or if the path was found before
 * (paths->led). Returns false with `error` filled (EXIT_CODE_CONFIG, or EXIT_CODE_INTERNAL if
 * memory is short); sample_mapping_clear must be called in either case.
 *
 * Entries of `value` that end with "*" are skipped: proto/wildcard/ reads them. If there are any,
 * an entry of `labels` that cannot be a label of the mapped samples is skipped as well, because it
 * may be meant for the other samples.
 */
bool sample_mapping_parse(const struct message_type *type, const struct schema_options *options,
                          struct mapping_paths *paths, struct sample_mapping *mapping,
                          struct error *error);
void sample_mapping_clear(struct sample_mapping *mapping);

/* A part of the option `time`, as texts in it; unit.data is NULL if there is no unit. */
struct time_part {
    struct text path, unit;
};

/*
 * Splits the option `time` into its parts. Returns their number, or 0 with `error` filled if there
 * are more than SAMPLE_TIMES.
 */
size_t sample_time_split(const char *option, struct time_part parts[SAMPLE_TIMES],
                         struct error *error);

/*
 * Checks that the field at the end of the path can be a part of the option `time`, which has
 * `count` of them: a number with one of the units s, ms, us and ns, or a Timestamp without a unit
 * as the only part. Sets *nanoseconds to the nanoseconds in a unit, 0 for a Timestamp. Returns
 * false with `error` filled.
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
