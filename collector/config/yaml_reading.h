/*
 * A YAML text, piece by piece, with the place of each: the one reader that knows the library.
 *
 * Of YAML it takes one document of maps, lists and texts. Anchors, aliases and tags are refused by
 * name, for a configuration says what it means where it says it. Every plain word is a text: there
 * are no numbers, dates or truth values here that could be taken for something else. The main
 * thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_YAML_READING_H
#define SLUICE_COLLECTOR_CONFIG_YAML_READING_H

#include "collector/base/parse_error.h"
#include "collector/config/provenance.h"

struct yaml_reading;

/* Maps and lists within each other: beyond that a text is refused. */
#define YAML_DEPTH_MOST 100

enum yaml_kind {
    PIECE_TEXT,
    PIECE_LIST,
    PIECE_LIST_END,
    PIECE_MAP,
    PIECE_MAP_END,
    PIECE_END, /* of the document, which is the only one */
};

struct yaml_piece {
    enum yaml_kind kind;
    struct provenance_mark mark;
    /* Of a text, valid until the next piece is read. */
    const char *text;
    size_t length;
    struct provenance_mark text_mark; /* after the quotation mark, where there is one */
    bool exact;                       /* it stands in the file byte for byte, on one line */
};

/*
 * Begins to read `length` bytes, which are not copied. Returns NULL if memory is short, and always
 * in a program without libyaml.
 */
struct yaml_reading *yaml_reading_begin(const char *text, size_t length);

/*
 * Reads the next piece. Returns false with `fault` and `mark` filled where it is no YAML, or none
 * of the kind above; nothing may be read after that, nor after PIECE_END. A text without anything
 * is PIECE_END at once.
 */
bool yaml_reading_next(struct yaml_reading *reading, struct yaml_piece *piece,
                       struct parse_error *fault, struct provenance_mark *mark);

/* NULL is allowed. */
void yaml_reading_end(struct yaml_reading *reading);

/* The version of libyaml, or NULL if this program was built without it. */
const char *yaml_reading_version(void);

#endif
