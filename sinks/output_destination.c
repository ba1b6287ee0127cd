#include "sinks/output_destination.h"

#include <stdlib.h>
#include <string.h>

struct output_destination *output_destination_create(const struct destination_ops *ops,
                                                     const char *path, struct error *error)
{
    size_t size = strlen(path) + 1;
    struct output_destination *made = calloc(1, sizeof *made + size);
    if (made == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "no memory for a destination");
        return NULL;
    }
    made->destination.ops = ops;
    memcpy(made->path, path, size);
    return made;
}

enum write_result output_destination_write(struct destination *destination, const void *bytes,
                                           size_t size, size_t *written, struct error *error)
{
    struct output_destination *output = (struct output_destination *)destination;
    return output_file_write(output->file, bytes, size, written, error);
}

wait_handle output_destination_handle(const struct destination *destination)
{
    return output_file_handle(((const struct output_destination *)destination)->file);
}

bool output_destination_at_beginning(const struct destination *destination)
{
    return output_file_at_beginning(((const struct output_destination *)destination)->file);
}

bool output_destination_take_back(struct destination *destination, size_t size)
{
    return output_file_take_back(((struct output_destination *)destination)->file, size);
}

void output_destination_destroy(struct destination *destination)
{
    struct output_destination *output = (struct output_destination *)destination;
    output_file_close(output->file);
    free(output);
}
