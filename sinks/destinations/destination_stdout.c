/* A `stdout` sink writes its records to standard output. */
#include <stdlib.h>

#include "collector/contract/encoder.h"
#include "collector/log/log.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/output_destination.h"

static const struct stream_ops stdout_stream = {
    .was_moved = output_destination_is_cut,
    .write = output_destination_write,
    .cancel = output_destination_cancel,
    .leave_torn = output_destination_leave_torn,
    .handle = output_destination_handle,
    .roll_back = output_destination_roll_back,
    .at_beginning = output_destination_at_beginning,
    .is_watched = output_destination_is_watched,
};

/*
 * A file that the shell appends to (`>>file`) may end within a line of an earlier run. The line
 * gets a newline. It is not cut off, because other programs may have the file open.
 */
static void end_torn_line(struct output_destination *output)
{
    if (output->options.settings->encoder->binary || !output_file_is_in_line(output->file))
        return;
    output_destination_leave_torn(&output->destination);
    log_about(
        LOG_WARNING, LOG_OF_SINK, output->options.name,
        "the file's last line had no newline and gets one; it is not cut off, because another "
        "program may be writing it");
}

static int stdout_create(const struct destination_options *options, struct destination **out,
                         struct error *error)
{
    struct output_destination *output = calloc(1, sizeof *output);
    if (output == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for standard output");
        return -1;
    }
    output_destination_init(output, &stdout_stream, output_destination_destroy, options);
    if (output_file_open_stdout(&output->file, error) != 0 ||
        output_destination_check(output, output->file, "standard output", error) != 0) {
        output_destination_destroy(&output->destination);
        return -1;
    }
    end_torn_line(output);
    *out = &output->destination;
    return 0;
}

const struct destination_ops destination_stdout = {
    .scheme = "stdout",
    .place_is = PLACE_NOTHING,
    .is_standard_output = true,
    .create = stdout_create,
};
