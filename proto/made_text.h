/*
 * Texts that are made while samples are walked, such as the text of a number that is a label's
 * value. They are in the cursor's scratch arena; see struct schema_cursor in
 * collector/contract/schema.h.
 */
#ifndef SLUICE_PROTO_MADE_TEXT_H
#define SLUICE_PROTO_MADE_TEXT_H

#include "collector/contract/schema.h"

/* Releases the text of the walk's previous step. Each step begins with this call. */
void made_text_forget(struct schema_cursor *cursor);

/*
 * made_text_begin returns an output in the scratch arena; made_text_end makes a text of everything
 * that was appended to this output. Between the two calls the scratch arena must not be used
 * otherwise. A step makes at most one text. A text that does not fit is empty, and
 * scratch->exhausted is set.
 */
struct output made_text_begin(const struct schema_cursor *cursor);
struct text made_text_end(struct schema_cursor *cursor, const struct output *out);

#endif
