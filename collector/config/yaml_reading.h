/*
 * Reads a YAML text piece by piece, with positions. The only code that uses libyaml.
 *
 * Accepts one document of maps, lists and texts. Anchors, aliases and tags are refused with their
 * own messages, so that each value is written where it applies. Every scalar is a text: there are
 * no numbers, dates or booleans. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_YAML_READING_H
#define SLUICE_COLLECTOR_CONFIG_YAML_READING_H

#include "collector/base/parse_error.h"
#include "collector/config/provenance.h"

struct yaml_reading;

/* The maximum number of levels of nested maps and lists. */
#define YAML_DEPTH_MOST 100

enum yaml_kind {
    PIECE_TEXT,
    PIECE_LIST,
    PIECE_LIST_END,
    PIECE_MAP,
    PIECE_MAP_END,
    PIECE_END, /* end of the text */
};

struct yaml_piece {
    enum yaml_kind kind;
    struct provenance_mark mark;
    /* Only for PIECE_TEXT; valid until the next piece is read. */
    const char *text;
    size_t length;
    struct provenance_mark text_mark; /* position after the quotation mark, if there is one */
    bool exact;                       /* the text is in the file verbatim, on one line */
};

/*
 * Begins to read `length` bytes, which are not copied. Returns NULL if memory is short, and always
 * in a program without libyaml.
 */
struct yaml_reading *yaml_reading_begin(const char *text, size_t length);

/*
 * Reads the next piece. Returns false with `fault` and `mark` filled if the text is invalid YAML or
 * contains a refused feature. Must not be called after that, or after PIECE_END. The first piece of
 * an empty text is PIECE_END.
 */
bool yaml_reading_next(struct yaml_reading *reading, struct yaml_piece *piece,
                       struct parse_error *fault, struct provenance_mark *mark);

/* Ends the reading and frees it; NULL is allowed. */
void yaml_reading_end(struct yaml_reading *reading);

/* Returns the version of libyaml, or NULL if this program was built without libyaml. */
const char *yaml_reading_version(void);

#endif
