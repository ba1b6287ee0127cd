/* stdout: the program's standard output. Data alone goes there. */
#include "sinks/output_destination.h"
#include "sinks/sinks.h"

static int create(const char *path, struct destination **out, struct error *error)
{
    struct output_destination *made = output_destination_create(&destination_stdout, path, error);
    if (made == NULL)
        return -1;
    if (output_file_open_stdout(&made->file, error) != 0) {
        output_destination_destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

const struct destination_ops destination_stdout = {
    .scheme = "stdout",
    .needs_path = false,
    .create = create,
    .write = output_destination_write,
    .handle = output_destination_handle,
    .take_back = output_destination_take_back,
    .at_beginning = output_destination_at_beginning,
    .reopen = NULL,
    .destroy = output_destination_destroy,
};
