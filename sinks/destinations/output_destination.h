/*
 * Implements the common part of destinations that write to a struct output_file, which they open
 * themselves.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_OUTPUT_DESTINATION_H
#define SLUICE_SINKS_DESTINATIONS_OUTPUT_DESTINATION_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_options.h"
#include "collector/contract/destination_stream.h"
#include "collector/platform/output_file.h"

/* The first member of the destination's structure. */
struct output_destination {
    struct destination destination;
    struct destination_options options;
    struct output_file *file; /* NULL until the destination has opened it */
    bool begun;               /* write was called */
    bool ends_line; /* another sink left an incomplete line, which the first write must end */
};

/* Initialises *output without a file. `destroy` is for struct destination. */
void output_destination_init(struct output_destination *output, const struct stream_ops *ops,
                             void (*destroy)(struct destination *destination),
                             const struct destination_options *options);

/*
 * Refuses a binary format on a terminal. `name` is the name of the file in the error. Returns 0, or
 * -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int output_destination_check(const struct output_destination *output,
                             const struct output_file *file, const char *name, struct error *error);

/* These functions implement the operations of the same names in struct stream_ops. */
enum write_result output_destination_write(struct destination *destination, const void *bytes,
                                           size_t size, size_t *written, struct error *error);
size_t output_destination_cancel(struct destination *destination);
wait_handle output_destination_handle(const struct destination *destination);
bool output_destination_at_beginning(const struct destination *destination);
bool output_destination_is_watched(const struct destination *destination);
bool output_destination_roll_back(struct destination *destination, size_t size);

/*
 * Implements leave_torn: the next sink that writes to the same path, or to standard output, ends
 * the torn line.
 */
void output_destination_leave_torn(struct destination *destination);

/* Implements was_moved for outputs that have no path. */
bool output_destination_is_cut(struct destination *destination);

/* Implements destroy of struct destination: closes the file and frees `destination`. */
void output_destination_destroy(struct destination *destination);

#endif
