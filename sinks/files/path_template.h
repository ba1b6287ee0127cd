/*
 * The path of a sink's files, with fields of time and of values in it:
 * "logs/%{source}/%Y-%m-%d.ndjson".
 *
 * Lifecycle: parse, use, free. A template never changes, so any thread may use one. Nothing but
 * parse allocates.
 *
 * The fields, all of UTC:
 *
 *   %Y %m %d %H %M %S %y %j   as strftime has them: 4, 2, 2, 2, 2, 2, 2 and 3 digits
 *   %F                        %Y-%m-%d
 *   %s                        seconds since 1970; 0 for a time before that
 *   %{source}                 the sender's address, without its port
 *   %{listener}               the listener's URL
 *   %{schema}                 the schema's name
 *   %%                        a percent sign, no field
 *
 * A value is made safe for a name, in the same way on every platform: each byte other than an ASCII
 * letter, a digit, '.', '_' and '-' becomes '_' (some forbid the colons of IPv6), what is after
 * PATH_VALUE_MAX bytes is cut off, and an empty one is "_". Where nothing but dots stands before it
 * in its folder's or file's name, a dot that it begins with becomes '_'. So a value never leads to
 * another folder and never hides a file. Windows leaves out a dot at the end of a name, and takes
 * "aux.ndjson" for a device: the one becomes '_', and of the other the value's first byte does.
 * Where only digits, dots and fields of time stand between a value and the place of the number, and
 * the value ends in a dot and digits, that dot becomes '_', unless they end an IPv4 address:
 * "fd:a.1" is no number 1 of "fd:a". Different values may become the same path.
 *
 * A second file of one path has a number before the extension: "metrics.1.ndjson.zst". The
 * extension is the dot and the letters at the end of the file's name, and the dot and the letters
 * before them where it is ".zst" or ".gz". It stands after the last field and is not the whole
 * name. A name without one has the number at its end: "metrics-2026.11.23T10.1", ".metrics.1". In
 * earlier versions all numbers stood at the end ("metrics.ndjson.zst.1"), and such files are found
 * as well.
 */
#ifndef SLUICE_SINKS_FILES_PATH_TEMPLATE_H
#define SLUICE_SINKS_FILES_PATH_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/contract/destination.h"

/* Bytes of the longest path that a template may become, with the NUL that ends it. */
#define PATH_TEMPLATE_SIZE 1024

/* Bytes of a value that go into a path. */
#define PATH_VALUE_MAX 100

/* The largest number of a path's files ("metrics.7.ndjson"). */
#define PATH_NUMBER_MAX 999999999

struct path_template;

/* What the fields stand for. The listener's and the schema's name may be NULL: as if empty. */
struct path_values {
    int64_t time_ns;              /* since 1970 UTC; from 1677 to 2262, so years have 4 digits */
    const struct address *source; /* NULL: as if empty */
    const char *listener;
    const char *schema;
};

/*
 * Reads a path. Returns false with *wrong_at (bytes into `text`) and *why (a constant, to be shown
 * to a person) where
 * - it is empty, or a percent sign begins no field that there is, or there are too many of them;
 * - it can become longer than PATH_TEMPLATE_SIZE;
 * - with a field in it, its end is a '/', or after the first field comes a name that is empty or
 *   made of dots only;
 * - nothing but digits and dots (and fields of time) stands after the last value. Its end could
 * not be distinguished from the number of an earlier version's file;
 * - no file can be called that on this system (collector/platform/file_system.h);
 * or with *why NULL where memory is short.
 */
bool path_template_parse(const char *text, struct path_template **out, size_t *wrong_at,
                         const char **why);

/* Reads a path as above for what it is like (struct destination_ops, read_path). */
bool path_template_read(const char *text, struct path_fields *fields, size_t *wrong_at,
                        const char **why);

/* NULL is allowed. */
void path_template_free(struct path_template *path);

bool path_template_has_fields(const struct path_template *path);
bool path_template_has_time(const struct path_template *path);
bool path_template_has_values(const struct path_template *path);

/*
 * The number of the step that a time lies in, counted from 1970 (below zero before it); 0 without
 * fields of time. A step is as long as the finest field, and at most a day. Two times of one step
 * give, with the same values, the same path.
 */
int64_t path_template_step(const struct path_template *path, int64_t time_ns);

/*
 * The folder that all paths lie in or below: what stands before the first field, up to its last
 * '/', without that. "." where there is none.
 */
const char *path_template_base(const struct path_template *path);

/*
 * What all paths begin with, up to and with the '/' after the base folder: "" where there is none.
 * A name found in the base folder is appended to it to be matched.
 */
const char *path_template_prefix(const struct path_template *path);

/* How many folders below the base folder the files lie: 0 is in it. */
size_t path_template_depth(const struct path_template *path);

/*
 * Writes the path, ended by a NUL, to the `size` bytes of `out`. Returns its length without the
 * NUL, or 0 where it does not fit; in PATH_TEMPLATE_SIZE bytes it does.
 */
size_t path_template_expand(const struct path_template *path, const struct path_values *values,
                            char *out, size_t size);

/* The same at `time_ns`, each value being "other". */
size_t path_template_expand_other(const struct path_template *path, int64_t time_ns, char *out,
                                  size_t size);

/* The number that is all of ".N"; 0 where the text is no such. */
uint32_t path_number(const char *text);

/*
 * Writes the name that the file of this number has, ended by a NUL: `bare`, an expansion of the
 * template, with the number in its place; 0: without one. Returns false where `size` is too small.
 */
bool path_template_numbered(const struct path_template *path, const char *bare, uint32_t number,
                            char *out, size_t size);

/*
 * The number of `name` among the names that `bare` (an expansion, or what stands after its last
 * '/') becomes with numbers, those of earlier versions too: 0 for `bare` itself, -1: it is none of
 * them.
 */
int64_t path_template_number_of(const struct path_template *path, const char *bare,
                                const char *name);

struct path_match {
    uint32_t number;               /* 0: it has none */
    char bare[PATH_TEMPLATE_SIZE]; /* the path without it, ended by a NUL */
    /*
     * That with a '*' for each field of time, ended by a NUL: the same for files of the same
     * values.
     */
    char key[PATH_TEMPLATE_SIZE];
};

/*
 * Whether `path` can be an expansion of the template, with ".N" before its extension or at its end
 * or without: N a decimal number from 1 to PATH_NUMBER_MAX without leading zeros. Fields of time
 * have to be in their range (the days of each month are not looked at), values have to be of the
 * bytes that expand leaves in them.
 *
 * Of templates in which a value and a field of time stand beside each other, or with a separator
 * between them that values may hold as well, a path may be readable in more than one way; then the
 * earlier values are taken as short as they can be.
 *
 * Takes time in proportion to the length of the path and the number of fields, whatever the path.
 */
bool path_template_match(const struct path_template *template, const char *path,
                         struct path_match *match);

#endif
