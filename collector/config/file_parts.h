/*
 * What the parts of the file's reader share: file_yaml.c calls file_maps.c and
 * file_more.c, all of them file_parts.c.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_FILE_PARTS_H
#define SLUICE_COLLECTOR_CONFIG_FILE_PARTS_H

#include "collector/base/compiler.h"
#include "collector/base/error.h"
#include "collector/base/parse_error.h"
#include "collector/config/file_names.h"
#include "collector/config/option_table.h"
#include "collector/config/provenance.h"
#include "collector/config/yaml_reading.h"

/* Where an option was given: so that no other file gives it again. */
struct file_place {
    const char *path; /* NULL: not yet */
    size_t line;
};

/* What all files of one configuration have given. */
struct files_given {
    struct file_place options[OPTIONS_MAX]; /* a place for each row of command_options */
    size_t more_line;                       /* of the list of more files; 0: there is none */
};

struct file_reading {
    const char *path;
    struct yaml_reading *yaml;
    struct yaml_piece piece; /* the one that was read last */
    struct provenance *provenance;
    struct files_given *given;
    struct file_names *more; /* that the file names; NULL: it may name none */
    struct error *error;
};

/* file_parts.c: reads the next piece into `piece`. Returns false with the error filled. */
bool file_next(struct file_reading *reading);

/* Passes what the piece that was read last begins. Returns as file_next does. */
bool file_skip(struct file_reading *reading);

/* Fill the error with what is wrong at a mark. Return false. */
bool file_parse_error(const struct file_reading *reading, struct provenance_mark mark,
                      const struct parse_error *fault);
bool file_refuse(const struct file_reading *reading, struct provenance_mark mark,
                 const char *format, ...) PRINTF_LIKE(3, 4);
bool file_no_memory(const struct file_reading *reading);

/* The same of the piece that was read last: what is due there, or as the value of `name`. */
bool file_wrong_piece(const struct file_reading *reading, const char *due);
bool file_wrong_kind(const struct file_reading *reading, const char *name, const char *due);

/* What is due where it is a list. */
#define FILE_LIST_DUE "a list (each item begins with \"- \")"

/* "a list", of the piece that was read last. */
const char *file_piece_name(const struct file_reading *reading);

/* Whether that piece is a text, and this one; `name` may be NULL. */
bool file_piece_is(const struct file_reading *reading, const char *name);

/*
 * Notes in *line that `name` is given on the line of that piece. Returns false with the error
 * filled where *line is not 0: it was given before.
 */
bool file_note_line(const struct file_reading *reading, const char *name, size_t *line);

/*
 * file_more.c: reads the list that the piece that was read last is to begin, and adds the files
 * that it names to reading->more.
 */
bool file_read_more(struct file_reading *reading);

/*
 * file_maps.c: reads what the piece that was read last begins, a URL or a map of its parts, and
 * adds the URL to the entries. `option` is one that takes a URL.
 */
bool file_read_url(struct file_reading *reading, const struct option *option);

#endif
