/*
 * The path of a sink's files, with fields for the time and for values:
 * "logs/%{source}/%Y-%m-%d.ndjson".
 *
 * Lifecycle: parse, use, free. A template is immutable, so any thread may use it. Only parse
 * allocates memory.
 *
 * The fields; times are UTC:
 *
 *   %Y %m %d %H %M %S %y %j   as in strftime: 4, 2, 2, 2, 2, 2, 2 and 3 digits
 *   %F                        %Y-%m-%d
 *   %s                        seconds since 1970; 0 for a time before that
 *   %{source}                 the sender's address, without its port
 *   %{listener}               the listener's URL
 *   %{schema}                 the schema's name
 *   %{sender}                 the name of the sender's key; empty if it has none
 *   %%                        a percent sign, not a field
 *
 * Values are made safe for a file name, in the same way on every platform. Each byte other than an
 * ASCII letter, a digit, '.', '_' and '-' becomes '_' (some platforms do not allow the colons of
 * IPv6). A value is truncated to PATH_VALUE_MAX bytes, and an empty one becomes "_". A dot at its
 * beginning becomes '_' if the name has only dots before it. So a value never leads to another
 * folder and never hides a file. Windows removes a dot at the end of a name, and treats
 * "aux.ndjson" as a device: so that dot, or the value's first byte, becomes '_'. If only digits,
 * dots and fields of time are between a value and the number, and the value ends with a dot and
 * digits, this dot becomes '_', except in an IPv4 address: "fd:a.1" must not look like file 1 of
 * "fd:a". Different values may result in the same path.
 *
 * A second file of one path has a number before its extension: "metrics.1.ndjson.zst". The
 * extension is a dot and letters at the end of the file's name, with another dot and letters before
 * ".zst" or ".gz". It is after the last field, and it is not the whole name. A name without
 * extension has the number at its end: "metrics-2026.11.23T10.1", ".metrics.1". Earlier versions
 * put all numbers at the end ("metrics.ndjson.zst.1"); such files are found as well.
 */
#ifndef SLUICE_SINKS_FILES_PATH_TEMPLATE_H
#define SLUICE_SINKS_FILES_PATH_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/destination.h"

/* The maximum size of a path with its NUL. */
#define PATH_TEMPLATE_SIZE 1024

/* The maximum size of a value in a path. */
#define PATH_VALUE_MAX 100

/* The maximum number in the name of a file ("metrics.7.ndjson"). */
#define PATH_NUMBER_MAX 999999999

struct path_template;

/* The values of the fields. NULL is the same as "". */
struct path_values {
    int64_t time_ns;              /* since 1970 UTC; from 1677 to 2262, so years have 4 digits */
    const struct address *source; /* NULL: the field becomes empty */
    const char *listener;
    const char *schema;
    const char *sender; /* at most SENDER_NAME_MAX bytes */
};

/*
 * Parses a path. Returns false with *why NULL if out of memory, or with *wrong_at (offset in
 * `text`) and *why (a constant text for users) if
 * - it is empty, a percent sign does not begin a known field, or there are too many fields;
 * - it can become longer than PATH_TEMPLATE_SIZE;
 * - it has a field and ends with a '/', or a name after the first field is empty or has only dots;
 * - the last value is followed only by digits, dots and fields of time: its end could not be
 *   distinguished from the number of an earlier version's file;
 * - it is not a valid file name on this system (collector/platform/file_system.h).
 */
bool path_template_parse(const char *text, struct path_template **out, size_t *wrong_at,
                         const char **why);

/* Parses a path to determine its properties (struct destination_ops, read_path). */
bool path_template_read(const char *text, struct path_fields *fields, size_t *wrong_at,
                        const char **why);

/* NULL is allowed. */
void path_template_free(struct path_template *path);

bool path_template_has_fields(const struct path_template *path);
bool path_template_has_time(const struct path_template *path);
bool path_template_has_values(const struct path_template *path);

/*
 * Returns the number of the step that contains the time, counted from 1970 (negative before 1970),
 * or 0 if there are no fields of time. A step is as long as the shortest field of time, at most a
 * day. With the same values, all times of a step result in the same path.
 */
int64_t path_template_step(const struct path_template *path, int64_t time_ns);

/*
 * Returns the folder that contains all paths: the part before the first field, up to its last '/'
 * (excluded), or "." if it has no '/'.
 */
const char *path_template_base(const struct path_template *path);

/*
 * Returns the common beginning of all paths: the base folder with a '/', or "" if there is none.
 * For path_template_match, append the name of a file in the base folder.
 */
const char *path_template_prefix(const struct path_template *path);

/*
 * Returns the number of folder levels between the base folder and the files, 0 if the files are in
 * it.
 */
size_t path_template_depth(const struct path_template *path);

/*
 * Writes the path with a NUL to the `size` bytes of `out`. Returns its length without the NUL, or 0
 * if it does not fit; PATH_TEMPLATE_SIZE bytes are always enough.
 */
size_t path_template_expand(const struct path_template *path, const struct path_values *values,
                            char *out, size_t size);

/* As path_template_expand, with "other" instead of each value. */
size_t path_template_expand_other(const struct path_template *path, int64_t time_ns, char *out,
                                  size_t size);

/* Returns N if the text is ".N", otherwise 0. */
uint32_t path_number(const char *text);

/*
 * Writes the path `bare`, an expansion of the template, with the number inserted (0: without a
 * number), and a NUL. Returns false if `size` is too small.
 */
bool path_template_numbered(const struct path_template *path, const char *bare, uint32_t number,
                            char *out, size_t size);

/*
 * Returns N if `name` is `bare` with the number N, even in the form of earlier versions; 0 if it is
 * `bare`; otherwise -1. `bare` is an expansion, or its part after the last '/'.
 */
int64_t path_template_number_of(const struct path_template *path, const char *bare,
                                const char *name);

struct path_match {
    uint32_t number;               /* 0: no number */
    char bare[PATH_TEMPLATE_SIZE]; /* the path without its number */
    /* `bare` with a '*' instead of each field of time: equal for files with the same values */
    char key[PATH_TEMPLATE_SIZE];
};

/*
 * Returns true if `path` can be an expansion of the template: with ".N" before its extension or at
 * its end, or without a number. N is from 1 to PATH_NUMBER_MAX without leading zeros. Fields of
 * time must be in their range (the lengths of months are not checked), and values must have only
 * bytes that an expansion can have.
 *
 * If a value is next to a field of time, or if values can contain the text between them, a path may
 * match in several ways. Then earlier values are as short as possible.
 *
 * Takes time proportional to the length of the path and the number of fields, for any path.
 */
bool path_template_match(const struct path_template *template, const char *path,
                         struct path_match *match);

#endif
