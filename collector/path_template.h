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
 * letter, a digit, '.', '_' and '-' becomes '_' (some forbid the colons of IPv6), what is behind
 * PATH_VALUE_MAX bytes is cut off, and an empty one is "_". Where nothing but dots stands before it
 * in its folder's or file's name, a dot that it begins with becomes '_'. So a value never leads to
 * another folder and never hides a file. Windows leaves out a dot at the end of a name, and takes
 * "aux.ndjson" for a device: the one becomes '_', and of the other the value's first byte does.
 * Different values may become the same path.
 */
#ifndef SLUICE_COLLECTOR_PATH_TEMPLATE_H
#define SLUICE_COLLECTOR_PATH_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/address.h"

/* Bytes of the longest path that a template may become, with the NUL that ends it. */
#define PATH_TEMPLATE_SIZE 1024

/* Bytes of a value that go into a path. */
#define PATH_VALUE_MAX 100

/* The largest number behind a path ("metrics.ndjson.7"). */
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
 * - with a field in it, its end is a '/', or behind the first field comes a name that is empty or
 *   made of dots only;
 * - nothing but digits and dots (and fields of time) stands behind the last value. A value ends in
 *   anything, and so could not be told from the number behind a path;
 * - no file can be called that on this system (collector/file_path.h);
 * or where memory is short.
 */
bool path_template_parse(const char *text, struct path_template **out, size_t *wrong_at,
                         const char **why);

/* NULL is allowed. */
void path_template_free(struct path_template *path);

bool path_template_has_fields(const struct path_template *path);
bool path_template_has_time(const struct path_template *path);
bool path_template_has_values(const struct path_template *path);

/*
 * The step in which the path changes with time, in nanoseconds: of its finest field, and at most a
 * day. 0: it has no field of time.
 */
int64_t path_template_finest_ns(const struct path_template *path);

/*
 * The number of the step that a time lies in, counted from 1970 (below zero before it); 0 without
 * fields of time. Two times of one step give, with the same values, the same path.
 */
int64_t path_template_step(const struct path_template *path, int64_t time_ns);

/*
 * The folder that all paths lie in or below: what stands before the first field, up to its last
 * '/', without that. "." where there is none.
 */
const char *path_template_base(const struct path_template *path);

/*
 * What all paths begin with, up to and with the '/' behind the base folder: "" where there is none.
 * A name found in the base folder goes behind it to be matched.
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

/* The number that is all of ".N", as it stands behind a path; 0 where the text is no such. */
uint32_t path_number(const char *text);

struct path_match {
    uint32_t number; /* behind the path; 0: there is none */
    /*
     * The path with a '*' for each field of time, ended by a NUL: the same for files of the same
     * values.
     */
    char key[PATH_TEMPLATE_SIZE];
};

/*
 * Whether `path` can be an expansion of the template, followed by ".N" or not: N a decimal number
 * from 1 to PATH_NUMBER_MAX without leading zeros. Fields of time have to be in their range (the
 * days of each month are not looked at), values have to be of the bytes that expand leaves in them.
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
