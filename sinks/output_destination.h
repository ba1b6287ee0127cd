/*
 * The part that destinations over an output file share (collector/output_file.h): all of it but how
 * the file is opened.
 */
#ifndef SLUICE_SINKS_OUTPUT_DESTINATION_H
#define SLUICE_SINKS_OUTPUT_DESTINATION_H

#include "collector/output_file.h"
#include "collector/sink.h"

struct output_destination {
    struct destination destination;
    struct output_file *file; /* NULL until the implementation has opened it */
    char path[];              /* what followed the colon */
};

/* Makes one without a file. Returns NULL, `error` filled, where memory is short. */
struct output_destination *output_destination_create(const struct destination_ops *ops,
                                                     const char *path, struct error *error);

/* For the operations of the same names in struct destination_ops. */
enum write_result output_destination_write(struct destination *destination, const void *bytes,
                                           size_t size, size_t *written, struct error *error);
wait_handle output_destination_handle(const struct destination *destination);
bool output_destination_at_beginning(const struct destination *destination);
bool output_destination_take_back(struct destination *destination, size_t size);
void output_destination_destroy(struct destination *destination);

#endif
