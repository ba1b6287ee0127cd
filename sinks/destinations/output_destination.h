/*
 * The part that destinations over an output file share (collector/platform/output_file.h): all of
 * it but how the file is opened.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_OUTPUT_DESTINATION_H
#define SLUICE_SINKS_DESTINATIONS_OUTPUT_DESTINATION_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_options.h"
#include "collector/contract/destination_stream.h"
#include "collector/platform/output_file.h"

/* Such a destination begins with this. */
struct output_destination {
    struct destination destination;
    struct destination_options options;
    struct output_file *file; /* NULL until the implementation has opened it */
    bool begun;               /* something was to be written */
    bool ends_line;           /* of another one, before anything else */
};

/* Fills one in, without a file. `destroy` is for struct destination. */
void output_destination_init(struct output_destination *output, const struct stream_ops *ops,
                             void (*destroy)(struct destination *destination),
                             const struct destination_options *options);

/*
 * Whether what the encoder writes may go to the file, which `name` calls in the error: what is
 * binary has no business on a terminal. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int output_destination_check(const struct output_destination *output,
                             const struct output_file *file, const char *name, struct error *error);

/* For the operations of the same names in struct stream_ops. */
enum write_result output_destination_write(struct destination *destination, const void *bytes,
                                           size_t size, size_t *written, struct error *error);
size_t output_destination_cancel(struct destination *destination);
wait_handle output_destination_handle(const struct destination *destination);
bool output_destination_at_beginning(const struct destination *destination);
bool output_destination_is_watched(const struct destination *destination);
bool output_destination_roll_back(struct destination *destination, size_t size);

/* The same: who writes next to the path, or to standard output, ends the line first. */
void output_destination_leave_torn(struct destination *destination);

/* For was_moved of what has no name. */
bool output_destination_is_cut(struct destination *destination);

/* For the one of struct destination: closes the file, and frees what is at `destination`. */
void output_destination_destroy(struct destination *destination);

#endif
