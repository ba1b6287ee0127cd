/*
 * file:PATH: appends to a file, and opens it anew under its name when told to: who rotates it
 * renames it and then sends SIGHUP.
 */
#include <inttypes.h>

#include "collector/log.h"
#include "sinks/output_destination.h"
#include "sinks/sinks.h"

static int open_file(const char *path, struct output_file **file, struct error *error)
{
    struct output_file_start start;
    if (output_file_open_append(path, file, &start, error) != 0)
        return -1;
    if (start.torn == TORN_LINE_CUT)
        log_line(LOG_WARNING,
                 "file:%s: cut off the %" PRIu64 " bytes of a line that an earlier run left torn",
                 path, start.torn_size);
    else if (start.torn == TORN_LINE_ENDED)
        log_line(LOG_WARNING,
                 "file:%s: it did not end in a newline and got one; it was not cut, because "
                 "another program may be writing it",
                 path);
    return 0;
}

static int create(const char *path, struct destination **out, struct error *error)
{
    struct output_destination *made = output_destination_create(&destination_file, path, error);
    if (made == NULL)
        return -1;
    if (open_file(made->path, &made->file, error) != 0) {
        output_destination_destroy(&made->destination);
        return -1;
    }
    *out = &made->destination;
    return 0;
}

static int reopen(struct destination *destination, struct error *error)
{
    struct output_destination *output = (struct output_destination *)destination;
    if (output_file_is_at(output->file, output->path))
        return 0;
    struct output_file *fresh;
    if (open_file(output->path, &fresh, error) != 0)
        return -1;
    output_file_close(output->file);
    output->file = fresh;
    return 0;
}

const struct destination_ops destination_file = {
    .scheme = "file",
    .needs_path = true,
    .create = create,
    .write = output_destination_write,
    .handle = output_destination_handle,
    .take_back = output_destination_take_back,
    .at_beginning = output_destination_at_beginning,
    .reopen = reopen,
    .destroy = output_destination_destroy,
};
