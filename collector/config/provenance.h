/*
 * What was set, as it was written, and where: the command line, the environment, a file, or the
 * program's own defaults.
 *
 * Each value of an option is one entry, with a URL for every listener and sink, also where a file
 * has it as a map: so all sources are checked by the same code, and a fault at a byte of a text is
 * reported with the line and the column of this byte. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_PROVENANCE_H
#define SLUICE_COLLECTOR_CONFIG_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>

struct option;

/* Later ones yield to earlier ones. */
enum provenance_kind {
    PROVENANCE_ARGUMENT,    /* on the command line */
    PROVENANCE_ENVIRONMENT, /* in the variable that provenance_variable names */
    PROVENANCE_FILE,        /* in one of the files of struct provenance */
    PROVENANCE_DEFAULT,     /* nowhere */
};

/* A place in a file, both counted from 1; columns are characters. */
struct provenance_mark {
    size_t line, column;
};

/* From byte `at` of a text on, up to the next span, this is where it was written. */
struct provenance_span {
    size_t at;
    struct provenance_mark mark;
    bool exact; /* byte for byte: column after column */
};

/* A text that is put together of parts of a file. Zero at first; grows as it must. */
struct provenance_text {
    char *data; /* NUL at the end; NULL: empty */
    size_t length, capacity;
    struct provenance_span *spans;
    size_t span_count, span_capacity;
};

struct provenance_entry {
    const struct option *option;
    enum provenance_kind by;
    size_t file; /* where a file has it: which one of struct provenance */
    struct provenance_text text;
};

struct provenance {
    struct provenance_entry *entries; /* those of one option stand in their order */
    size_t count;
    char **files; /* the paths of those that were read, in that order: first that of --config */
    size_t file_count;
    bool has_tests; /* one of them has tests, which are for `sluice test` alone */
};

/* Appends bytes of the program's own. Returns false without memory. */
bool provenance_text_put(struct provenance_text *text, const char *bytes, size_t length);

/* Appends bytes that stand at a mark. */
bool provenance_text_put_marked(struct provenance_text *text, const char *bytes, size_t length,
                                struct provenance_mark mark, bool exact);

/* Appends another one, with its spans. */
bool provenance_text_append(struct provenance_text *text, const struct provenance_text *more);

/* Where byte `at` was written; {0, 0} where no file has it. */
struct provenance_mark provenance_text_mark(const struct provenance_text *text, size_t at);

void provenance_text_free(struct provenance_text *text);

/*
 * Adds an entry, which takes the text over and leaves an empty one. One by a file stands in the
 * last one that was added. Returns it, valid until the next one is added, or NULL without memory.
 */
const struct provenance_entry *provenance_add(struct provenance *provenance,
                                              const struct option *option, enum provenance_kind by,
                                              struct provenance_text *text);

/* Adds a file, from which entries follow; the path is copied. Returns false without memory. */
bool provenance_add_file(struct provenance *provenance, const char *path);

/* Frees all, but not `provenance` itself; NULL is allowed. */
void provenance_free(struct provenance *provenance);

/* Writes the name of an option's environment variable, "SLUICE_STOP_TIMEOUT", into `name`. */
#define PROVENANCE_VARIABLE_SIZE 64
void provenance_variable(const struct option *option, char *name);

#endif
