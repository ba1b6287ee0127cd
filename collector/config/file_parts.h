/*
 * Functions that the parts of the configuration file's reader share: file_yaml.c calls file_maps.c
 * and file_more.c; all three call file_parts.c. The reader of test files shares some of them
 * (collector/config_tests/config_test_parts.h).
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_FILE_PARTS_H

#include "collector/base/error.h"
#include "collector/base/parse_error.h"
#include "collector/config/file_names.h"
#include "collector/config/option_table.h"
#include "collector/config/provenance.h"
#include "collector/config/yaml_reading.h"
#include "collector/text/compiler.h"

/* The place where an option was given, to detect duplicates. */
struct file_place {
    const char *path; /* path of the file, or NULL if not given yet */
    size_t line;
};

/* The options given in the files of one configuration. */
struct files_given {
    struct file_place options[OPTIONS_MAX]; /* by row of command_options */
    size_t more_line;                       /* line where the list of more files begins; 0: not
                                               given */
};

struct file_reading {
    const char *path;
    struct yaml_reading *yaml;
    struct yaml_piece piece; /* the YAML event that was read last */
    struct provenance *provenance;
    struct files_given *given;
    struct file_names *more;         /* further files; NULL if this file must not name more files */
    const char *named_in;            /* path of the file that names this one, or NULL */
    struct provenance_mark named_at; /* position of the name in that file */
    struct error *error;
};

/* file_parts.c: reads the next YAML event into `piece`. Returns false with the error filled. */
bool file_next(struct file_reading *reading);

/* Skips the value that begins with reading->piece. Returns false with the error filled. */
bool file_skip(struct file_reading *reading);

/* Fill the error with a fault at `mark` in the file. Return false. */
bool file_parse_error(const struct file_reading *reading, struct provenance_mark mark,
                      const struct parse_error *fault);
bool file_refuse(const struct file_reading *reading, struct provenance_mark mark,
                 const char *format, ...) PRINTF_LIKE(3, 4);
bool file_no_memory(const struct file_reading *reading);

/*
 * Report that reading->piece is not of the expected kind, `due`. `name` is the key whose value it
 * is. Return false.
 */
bool file_wrong_piece(const struct file_reading *reading, const char *due);
bool file_wrong_kind(const struct file_reading *reading, const char *name, const char *due);

/* The text of `due` for a list. */
#define FILE_LIST_DUE "a list (each item begins with \"- \")"

/* Returns the kind of reading->piece for messages: "a list". */
const char *file_piece_name(const struct file_reading *reading);

/* Returns true if reading->piece is the text `name`, which may be NULL. */
bool file_piece_is(const struct file_reading *reading, const char *name);

/*
 * Stores in *line the line of reading->piece, where `name` is given. If *line is not 0, `name` was
 * given before: returns false with the error filled.
 */
bool file_note_line(const struct file_reading *reading, const char *name, size_t *line);

/*
 * file_maps.c: reads the value of the setting called `name`, which begins with reading->piece. If
 * the setting's value is a list, it may also be a YAML list, whose items are joined by commas.
 * Refuses a value that contains the character `sign` ('\0': refuses none). Appends the value to
 * `text`. Returns false with the error filled.
 */
bool file_read_value(struct file_reading *reading, const struct setting *setting, const char *name,
                     char sign, struct provenance_text *text);

/*
 * file_more.c: reads the value of the list of more files, and adds these files to reading->more.
 */
bool file_read_more(struct file_reading *reading);

/*
 * file_maps.c: reads a URL, or a map of its parts, and adds the URL to the entries as a value of
 * `option`. reading->piece is the first YAML event of the URL or map.
 */
bool file_read_url(struct file_reading *reading, const struct option *option);

#endif
