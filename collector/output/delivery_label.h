/*
 * The label of a delivery's blocks in its spill: what their bytes are and where they go. A block is
 * sent only by a sink of the same label; blocks of earlier versions have none, and are taken as
 * they are.
 *
 * Four lines: the format, its media type, the kind of destination, and the topic or subject as it
 * was configured (empty for kinds that have none). Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_LABEL_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_LABEL_H

#include <stddef.h>

#include "collector/output/sink_thread.h"

/* Bytes of a label, at most, with its NUL. */
#define DELIVERY_LABEL_SIZE ((size_t)1024)

/* Writes the label of such a sink. */
void delivery_label_write(const struct sink_thread_options *options,
                          char label[DELIVERY_LABEL_SIZE]);

/* Bytes of a label in words, with the NUL. */
#define DELIVERY_LABEL_WORDS_SIZE ((size_t)320)

/* Writes what a label says in words: "json for nats, subject metrics.raw". */
void delivery_label_describe(const char *label, char words[DELIVERY_LABEL_WORDS_SIZE]);

#endif
