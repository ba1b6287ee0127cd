/*
 * Texts that have to be made while samples are walked: a number as a label's value. They stand in
 * the cursor's scratch arena, see struct schema_cursor in collector/contract/schema.h.
 */
#ifndef SLUICE_PROTO_MADE_TEXT_H
#define SLUICE_PROTO_MADE_TEXT_H

#include "collector/contract/schema.h"

/* Gives back what the walk's last step made. Each step begins with this. */
void made_text_forget(struct schema_cursor *cursor);

/*
 * A text: what is appended to the output between the two. No other use of the scratch arena may
 * come in between, and a step makes one text at most. Where it did not fit it is empty, and
 * scratch->exhausted is set.
 */
struct output made_text_begin(const struct schema_cursor *cursor);
struct text made_text_end(struct schema_cursor *cursor, const struct output *out);

#endif
