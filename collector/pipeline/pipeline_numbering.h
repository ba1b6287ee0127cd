/*
 * Keeps or closes the sequence windows of senders when the schemas of listeners change. A numbering
 * identifies one way of reading sequence numbers from datagrams. A window can be continued only
 * with the same numbering. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_NUMBERING_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

struct pipeline;
struct schema_list;
struct source;

/*
 * Sets the numberings of `count` new schema lists. A schema that reads the same numbers as a
 * listener's present schema gets its numbering; any other schema gets a new one.
 */
void pipeline_number_schemas(struct pipeline *pipeline, struct schema_list *const *lists,
                             size_t count);

/* Replaces the source's list by `list` (NULL: no list). Takes ownership of `list`. */
void pipeline_put_schemas(struct pipeline *pipeline, struct source *source,
                          struct schema_list *list);

/* Closes the windows of numberings that their listener no longer uses. */
void pipeline_close_windows(struct pipeline *pipeline);

/*
 * Adds the unseen numbers of a closed window to the listener's losses; `context` is the pipeline.
 */
void pipeline_count_lost(void *context, uint32_t listener, uint64_t lost);

#endif
