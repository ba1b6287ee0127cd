/*
 * stdout: the program's standard output. Data alone goes there.
 *
 * It is a pipe mostly, from which nothing can be taken back, and a reload may put one such sink in
 * the place of another: who follows one that had to stop within a line ends that line first.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "collector/contract/encoder.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/output_destination.h"

struct stdout_destination {
    struct output_destination output; /* first */
    bool begun;                       /* something was to be written */
    bool ends_line;                   /* of another one, before anything else */
};

/* Standard output stands within a line. */
static atomic_bool is_torn;

static void leave_torn(struct destination *destination)
{
    const struct output_destination *output = (const struct output_destination *)destination;
    if (!output->options.encoder->binary)
        atomic_store(&is_torn, true);
}

static enum write_result write_bytes(struct destination *destination, const void *bytes,
                                     size_t size, size_t *written, struct error *error)
{
    struct stdout_destination *to = (struct stdout_destination *)destination;
    if (!to->begun && !to->output.options.encoder->binary)
        to->ends_line = atomic_exchange(&is_torn, false);
    to->begun = true;
    if (to->ends_line) {
        enum write_result result = output_destination_write(destination, "\n", 1, written, error);
        if (result != WRITE_OK)
            return result;
        to->ends_line = false;
    }
    return output_destination_write(destination, bytes, size, written, error);
}

/* The end of another one's line is no byte of what was offered. */
static size_t cancel(struct destination *destination)
{
    struct stdout_destination *to = (struct stdout_destination *)destination;
    size_t accepted = output_destination_cancel(destination);
    if (!to->ends_line)
        return accepted;
    to->ends_line = accepted == 0;
    if (to->ends_line)
        atomic_store(&is_torn, true);
    return 0;
}

static const struct stream_ops stdout_stream = {
    .was_moved = output_destination_is_cut,
    .write = write_bytes,
    .cancel = cancel,
    .leave_torn = leave_torn,
    .handle = output_destination_handle,
    .roll_back = output_destination_roll_back,
    .at_beginning = output_destination_at_beginning,
    .is_watched = output_destination_is_watched,
};

static int create(const struct destination_options *options, struct destination **out,
                  struct error *error)
{
    struct stdout_destination *made = calloc(1, sizeof *made);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for standard output");
        return -1;
    }
    struct output_destination *output = &made->output;
    output_destination_init(output, &stdout_stream, output_destination_destroy, options);
    if (output_file_open_stdout(&output->file, error) != 0 ||
        output_destination_check(output, output->file, "standard output", error) != 0) {
        output_destination_destroy(&output->destination);
        return -1;
    }
    *out = &output->destination;
    return 0;
}

const struct destination_ops destination_stdout = {
    .scheme = "stdout",
    .needs_path = false,
    .is_standard_output = true,
    .create = create,
};
