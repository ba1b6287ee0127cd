/*
 * Makes texts while samples are read, for example the text of a number that is a label's value. The
 * texts are in the cursor's scratch arena (struct schema_cursor in collector/contract/schema.h).
 */
#ifndef SLUICE_PROTO_MADE_TEXT_H
#define SLUICE_PROTO_MADE_TEXT_H

#include "collector/contract/schema.h"

/* Releases the text of the previous step. Each step of a cursor begins with this call. */
void made_text_forget(struct schema_cursor *cursor);

/*
 * made_text_begin returns an output in the scratch arena, and made_text_end returns the text that
 * was appended to it. Between the two calls the scratch arena must not be used otherwise. A step
 * makes at most one text. A text that does not fit is empty, and sets scratch->exhausted.
 */
struct output made_text_begin(const struct schema_cursor *cursor);
struct text made_text_end(struct schema_cursor *cursor, const struct output *out);

#endif
