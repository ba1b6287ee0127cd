/*
 * Stores the settings as they were written, and the place of each: the command line, the
 * environment, a file, or the defaults of the program.
 *
 * Each value of an option is one entry. A listener or sink is a URL even if the file has a map. So
 * the same code checks all values, and a fault at a byte of a text is reported with its line and
 * column. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_PROVENANCE_H
#define SLUICE_COLLECTOR_CONFIG_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>

struct option;

/* The places of a setting in their order of precedence, the highest first. */
enum provenance_kind {
    PROVENANCE_ARGUMENT,    /* on the command line */
    PROVENANCE_ENVIRONMENT, /* in an environment variable, whose name provenance_variable writes */
    PROVENANCE_FILE,        /* in one of the files of struct provenance */
    PROVENANCE_DEFAULT,     /* not given */
};

/* A position in a file, counted from 1; columns are characters. */
struct provenance_mark {
    size_t line, column;
};

/* The position in the file of a part of a text: the part from byte `at` up to the next span. */
struct provenance_span {
    size_t at;
    struct provenance_mark mark;
    bool exact; /* the text is in the file verbatim: each character is one column */
};

/* A text composed of parts of a file. Begin with a zeroed struct. */
struct provenance_text {
    char *data; /* ends with a NUL; NULL if empty */
    size_t length, capacity;
    struct provenance_span *spans;
    size_t span_count, span_capacity;
};

struct provenance_entry {
    const struct option *option;
    enum provenance_kind by;
    size_t file; /* PROVENANCE_FILE: index in `files` of struct provenance */
    struct provenance_text text;
};

struct provenance {
    /* The entries of one option are in the order in which they were given. */
    struct provenance_entry *entries;
    size_t count;
    char **files; /* paths of the files in order of reading; the first is that of --config */
    size_t file_count;
    bool has_tests; /* a file has tests, which only `sluice test` reads */
};

/* Appends bytes that are not from a file. Returns false if memory is short. */
bool provenance_text_put(struct provenance_text *text, const char *bytes, size_t length);

/* Appends bytes that are at `mark` in the file. Returns false if memory is short. */
bool provenance_text_put_marked(struct provenance_text *text, const char *bytes, size_t length,
                                struct provenance_mark mark, bool exact);

/* Appends another text with its spans. Returns false if memory is short. */
bool provenance_text_append(struct provenance_text *text, const struct provenance_text *more);

/* Returns the position of byte `at` in its file; {0, 0} if the text is not from a file. */
struct provenance_mark provenance_text_mark(const struct provenance_text *text, size_t at);

void provenance_text_free(struct provenance_text *text);

/*
 * Adds an entry, which takes ownership of the text's contents and zeroes *text. An entry of
 * PROVENANCE_FILE belongs to the file that was added last. Returns the entry, valid until the next
 * call, or NULL if memory is short; *text is then unchanged.
 */
const struct provenance_entry *provenance_add(struct provenance *provenance,
                                              const struct option *option, enum provenance_kind by,
                                              struct provenance_text *text);

/*
 * Adds a file, to which the following entries belong; copies the path. Returns false if memory is
 * short.
 */
bool provenance_add_file(struct provenance *provenance, const char *path);

/* Frees the contents, but not `provenance` itself; NULL is allowed. */
void provenance_free(struct provenance *provenance);

/* Writes the name of an option's environment variable, "SLUICE_STOP_TIMEOUT", into `name`. */
#define PROVENANCE_VARIABLE_SIZE 64
void provenance_variable(const struct option *option, char *name);

#endif
