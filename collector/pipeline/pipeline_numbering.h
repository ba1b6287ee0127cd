/* What senders' numbers mean, from one configuration to the next. Main thread. */
#ifndef SLUICE_COLLECTOR_PIPELINE_PIPELINE_NUMBERING_H
#define SLUICE_COLLECTOR_PIPELINE_PIPELINE_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

struct pipeline;
struct schema_list;
struct source;

/*
 * Gives the schemas of so many lists, which no listener has yet, their numberings: those of the
 * listeners' present schemas where the numbers are the same.
 */
void pipeline_number_schemas(struct pipeline *pipeline, struct schema_list *const *lists,
                             size_t count);

/* Puts a list (NULL: none) in the place of the source's present one, and takes it over. */
void pipeline_put_schemas(struct pipeline *pipeline, struct source *source,
                          struct schema_list *list);

/* Closes the windows of senders whose numbering their listener no longer has. */
void pipeline_close_windows(struct pipeline *pipeline);

/* Counts what was unseen in a window that is closed; `context` is the pipeline. */
void pipeline_count_lost(void *context, uint32_t listener, uint64_t lost);

#endif
