/*
 * Texts that are made while samples are walked, such as a number as a label's value. They are in
 * the cursor's scratch arena; see struct schema_cursor in collector/contract/schema.h.
 */
#ifndef SLUICE_PROTO_MADE_TEXT_H
#define SLUICE_PROTO_MADE_TEXT_H

#include "collector/contract/schema.h"

/* Releases the texts of the walk's last step. Each step begins with this call. */
void made_text_forget(struct schema_cursor *cursor);

/*
 * Makes a text of everything appended to the output between the two calls. The scratch arena must
 * not be used otherwise in between, and a step makes at most one text. If the text does not fit, it
 * is empty and scratch->exhausted is set.
 */
struct output made_text_begin(const struct schema_cursor *cursor);
struct text made_text_end(struct schema_cursor *cursor, const struct output *out);

#endif
