/*
 * The label of a block in a spill names the format of its bytes and its destination. A sink sends
 * only blocks with its own label. Blocks of earlier program versions have no label, and every sink
 * sends them.
 *
 * A label has four lines: the format (and " with schema_id" if messages have such a head), its
 * media type, the kind of destination, and the topic or subject as configured (empty for kinds
 * without one). Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_OUTPUT_DELIVERY_LABEL_H
#define SLUICE_COLLECTOR_OUTPUT_DELIVERY_LABEL_H

#include <stddef.h>

#include "collector/output/sink_thread.h"

/* The maximum size of a label in bytes, with its NUL. */
#define DELIVERY_LABEL_SIZE ((size_t)1024)

/* Writes the label of a sink with these options. */
void delivery_label_write(const struct sink_thread_options *options,
                          char label[DELIVERY_LABEL_SIZE]);

/* The maximum number of bytes, with the NUL, of the text that describes a label. */
#define DELIVERY_LABEL_WORDS_SIZE ((size_t)320)

/* Describes a label for the log: "json for nats, subject metrics.raw". */
void delivery_label_describe(const char *label, char words[DELIVERY_LABEL_WORDS_SIZE]);

#endif
