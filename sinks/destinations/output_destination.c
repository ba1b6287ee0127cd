#include "sinks/destinations/output_destination.h"

#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/contract/encoder.h"
#include "sinks/destinations/torn_outputs.h"

void output_destination_init(struct output_destination *output, const struct stream_ops *ops,
                             void (*destroy)(struct destination *destination),
                             const struct destination_options *options)
{
    *output = (struct output_destination){
        .destination = {.stream = ops, .destroy = destroy},
        .options = *options,
    };
}

int output_destination_check(const struct output_destination *output,
                             const struct output_file *file, const char *name, struct error *error)
{
    const struct encoder_ops *encoder = output->options.settings->encoder;
    if (!encoder->binary || !output_file_is_terminal(file))
        return 0;
    error_set(error, EXIT_CODE_CONFIG,
              "format=%s is binary and %s is a terminal; write to a file or a pipe", encoder->name,
              name);
    return -1;
}

/* --- incomplete lines ------------------------------------------------------------------------- */

static const char *output_name(const struct output_destination *output)
{
    return output->options.path != NULL ? output->options.path : "";
}

void output_destination_leave_torn(struct destination *destination)
{
    const struct output_destination *output = (const struct output_destination *)destination;
    if (!output->options.settings->encoder->binary)
        torn_outputs_add(output_name(output));
}

enum write_result output_destination_write(struct destination *destination, const void *bytes,
                                           size_t size, size_t *written, struct error *error)
{
    struct output_destination *output = (struct output_destination *)destination;
    if (!output->begun && !output->options.settings->encoder->binary)
        output->ends_line = torn_outputs_remove(output_name(output));
    output->begun = true;
    if (output->ends_line) {
        enum write_result result = output_file_write(output->file, "\n", 1, written, error);
        if (result != WRITE_OK)
            return result;
        output->ends_line = false;
    }
    return output_file_write(output->file, bytes, size, written, error);
}

/* The newline that ends another sink's line does not count as accepted. */
size_t output_destination_cancel(struct destination *destination)
{
    struct output_destination *output = (struct output_destination *)destination;
    RULE(output->begun || !output->ends_line, "another sink's line is only ended before a write");
    size_t accepted = output_file_cancel(output->file);
    if (!output->ends_line)
        return accepted;
    output->ends_line = accepted == 0;
    if (output->ends_line)
        torn_outputs_add(output_name(output));
    return 0;
}

/* --- operations of the file ------------------------------------------------------------------- */

wait_handle output_destination_handle(const struct destination *destination)
{
    return output_file_handle(((const struct output_destination *)destination)->file);
}

bool output_destination_at_beginning(const struct destination *destination)
{
    return output_file_at_beginning(((const struct output_destination *)destination)->file);
}

bool output_destination_is_watched(const struct destination *destination)
{
    return output_file_is_terminal(((const struct output_destination *)destination)->file);
}

bool output_destination_roll_back(struct destination *destination, size_t size)
{
    return output_file_roll_back(((struct output_destination *)destination)->file, size);
}

bool output_destination_is_cut(struct destination *destination)
{
    return output_file_is_cut(((struct output_destination *)destination)->file);
}

void output_destination_destroy(struct destination *destination)
{
    struct output_destination *output = (struct output_destination *)destination;
    output_file_close(output->file);
    free(output);
}
