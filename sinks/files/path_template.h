/*
 * The path of a sink's files, with fields of time and of values in it:
 * "logs/%{source}/%Y-%m-%d.ndjson".
 *
 * Lifecycle: parse, use, free. A template is immutable, so any thread may use it. Only parse
 * allocates memory.
 *
 * The fields, all of UTC:
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
 * A value is made safe for a name, in the same way on every platform: each byte other than an ASCII
 * letter, a digit, '.', '_' and '-' becomes '_' (some platforms forbid the colons of IPv6), a value
 * is cut after PATH_VALUE_MAX bytes, and an empty one becomes "_". If its folder's or file's name
 * has only dots before it, a dot at its beginning becomes '_'. So a value never leads to another
 * folder and never hides a file. Windows removes a dot at the end of a name, and treats
 * "aux.ndjson" as a device: that dot, or the value's first byte, becomes '_'. If a value is
 * separated from the place of the number only by digits, dots and fields of time, and ends with a
 * dot and digits, that dot becomes '_', unless they end an IPv4 address: "fd:a.1" must not look
 * like file 1 of "fd:a". Different values may result in the same path.
 *
 * A second file of one path has a number before the extension: "metrics.1.ndjson.zst". The
 * extension is the dot and the letters at the end of the file's name, and also the dot and the
 * letters before ".zst" or ".gz". It is after the last field and is not the whole name. A name
 * without extension has the number at its end: "metrics-2026.11.23T10.1", ".metrics.1". In earlier
 * versions all numbers were at the end ("metrics.ndjson.zst.1"); such files are found as well.
 */
#ifndef SLUICE_SINKS_FILES_PATH_TEMPLATE_H
#define SLUICE_SINKS_FILES_PATH_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/destination.h"

/* Size of the longest path of a template, with the final NUL. */
#define PATH_TEMPLATE_SIZE 1024

/* Largest size of a value in a path. */
#define PATH_VALUE_MAX 100

/* The largest number in the name of a file ("metrics.7.ndjson"). */
#define PATH_NUMBER_MAX 999999999

struct path_template;

/*
 * The values of the fields. The names may be NULL, which is like empty.
 */
struct path_values {
    int64_t time_ns;              /* since 1970 UTC; from 1677 to 2262, so years have 4 digits */
    const struct address *source; /* NULL: its field becomes an empty text */
    const char *listener;
    const char *schema;
    const char *sender; /* at most SENDER_NAME_MAX bytes */
};

/*
 * Parses a path. Returns false with *why NULL if memory is short; or with *wrong_at (bytes into
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
 * Returns the number of the step that contains a time, counted from 1970 (negative before 1970); 0
 * if there are no fields of time. A step is as long as the finest field of time, and at most a day.
 * With the same values, two times in one step give the same path.
 */
int64_t path_template_step(const struct path_template *path, int64_t time_ns);

/*
 * Returns the folder that contains all paths: the part before the first field, up to its last '/'
 * but without that. "." if there is no such folder.
 */
const char *path_template_base(const struct path_template *path);

/*
 * Returns the common beginning of all paths: the base folder and the '/' after it, or "" if there
 * is no base folder. A name in the base folder is appended to this beginning for matching.
 */
const char *path_template_prefix(const struct path_template *path);

/* Returns the number of folder levels between the base folder and the files. 0: files are in it. */
size_t path_template_depth(const struct path_template *path);

/*
 * Writes the path, with a NUL, to the `size` bytes of `out`. Returns its length without the NUL, or
 * 0 if it does not fit; it always fits in PATH_TEMPLATE_SIZE bytes.
 */
size_t path_template_expand(const struct path_template *path, const struct path_values *values,
                            char *out, size_t size);

/* Writes the path at `time_ns`, with "other" for each value; else like path_template_expand. */
size_t path_template_expand_other(const struct path_template *path, int64_t time_ns, char *out,
                                  size_t size);

/* Returns the number in a text of the form ".N"; 0 for other texts. */
uint32_t path_number(const char *text);

/*
 * Writes the name of the file with this number, with a NUL. The name is `bare`, an expansion of the
 * template, with the number inserted; number 0: without a number. Returns false if `size` is too
 * small.
 */
bool path_template_numbered(const struct path_template *path, const char *bare, uint32_t number,
                            char *out, size_t size);

/*
 * Returns the number in `name` if `name` is `bare` with a number, also in the form of an earlier
 * version. `bare` is an expansion, or its part after the last '/'. Returns 0 if `name` is `bare`
 * itself, and -1 for other names.
 */
int64_t path_template_number_of(const struct path_template *path, const char *bare,
                                const char *name);

struct path_match {
    uint32_t number;               /* 0: the path has no number */
    char bare[PATH_TEMPLATE_SIZE]; /* the path without its number, with a NUL */
    /*
     * `bare` with a '*' for each field of time: equal for files with the same values
     */
    char key[PATH_TEMPLATE_SIZE];
};

/*
 * Returns whether `path` can be an expansion of the template, with ".N" before its extension, with
 * ".N" at its end, or without a number. N is a decimal number from 1 to PATH_NUMBER_MAX without
 * leading zeros. Fields of time must be in their range (the lengths of months are not checked), and
 * values must consist of bytes that expand can produce.
 *
 * If a template has a value next to a field of time, or if values may contain the separator between
 * them, a path may match in several ways. Then earlier values are as short as possible.
 *
 * The time is proportional to the length of the path and the number of fields, for any path.
 */
bool path_template_match(const struct path_template *template, const char *path,
                         struct path_match *match);

#endif
