/*
 * What was set, as it was written, and where: the command line, the environment, a file, or the
 * program's own defaults.
 *
 * Each value of an option is one entry, with a URL for every listener and sink, also where a file
 * has it as a map: so all sources are checked by the same code, and a fault at a byte of a text is
 * reported with the line and the column of this byte. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_WRITTEN_H
#define SLUICE_COLLECTOR_CONFIG_WRITTEN_H

#include <stdbool.h>
#include <stddef.h>

struct option;

/* Later ones yield to earlier ones. */
enum written_by {
    WRITTEN_ARGUMENT,    /* on the command line */
    WRITTEN_ENVIRONMENT, /* in the variable that written_variable names */
    WRITTEN_FILE,        /* in the file of struct written */
    WRITTEN_DEFAULT,     /* nowhere */
};

/* A place in a file, both counted from 1; columns are characters. */
struct written_mark {
    size_t line, column;
};

/* From byte `at` of a text on, up to the next span, this is where it was written. */
struct written_span {
    size_t at;
    struct written_mark mark;
    bool exact; /* byte for byte: column after column */
};

/* A text that is put together of parts of a file. Zero at first; grows as it must. */
struct written_text {
    char *data; /* NUL at the end; NULL: empty */
    size_t length, capacity;
    struct written_span *spans;
    size_t span_count, span_capacity;
};

struct written_entry {
    const struct option *option;
    enum written_by by;
    struct written_text text;
};

struct written {
    struct written_entry *entries; /* those of one option stand in their order */
    size_t count;
    char *file; /* its path; NULL: none was read */
};

/* Appends bytes of the program's own. Returns false without memory. */
bool written_text_put(struct written_text *text, const char *bytes, size_t length);

/* Appends bytes that stand at a mark. */
bool written_text_put_marked(struct written_text *text, const char *bytes, size_t length,
                             struct written_mark mark, bool exact);

/* Appends another one, with its spans. */
bool written_text_append(struct written_text *text, const struct written_text *more);

/* Where byte `at` was written; {0, 0} where no file has it. */
struct written_mark written_text_mark(const struct written_text *text, size_t at);

void written_text_free(struct written_text *text);

/*
 * Adds an entry, which takes the text over and leaves an empty one. Returns it, valid until the
 * next one is added, or NULL without memory.
 */
const struct written_entry *written_add(struct written *written, const struct option *option,
                                        enum written_by by, struct written_text *text);

/* Frees all, but not `written` itself; NULL is allowed. */
void written_free(struct written *written);

/* Writes the name of an option's environment variable, "SLUICE_STOP_TIMEOUT", into `name`. */
#define WRITTEN_VARIABLE_SIZE 64
void written_variable(const struct option *option, char *name);

#endif
