/*
 * A set of files, which a sink file:PATH writes if it has rotation, compression, fields in the
 * path, or an encoder that sorts blocks. Each file is named PATH.part until it is complete
 * (sinks/files/live_file.h).
 *
 * A file is complete when it has reached rotate_size, at multiples of rotate_interval of the UTC
 * clock, when the time in its path is over, on SIGHUP, and at the end of the program. With
 * compression each block is a frame. A sorted block is a file of its own.
 */
#ifndef SLUICE_SINKS_FILES_FILE_SET_H
#define SLUICE_SINKS_FILES_FILE_SET_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_files.h"
#include "collector/contract/destination_options.h"
#include "sinks/files/path_template.h"

/* Returns true if these options require a file set. */
bool file_set_is_asked_for(const struct path_template *path,
                           const struct destination_options *options);

/* Returns the number and size of a file set's blocks and its memory. A pure function. */
struct destination_shape file_set_shape(const struct path_template *path,
                                        const struct destination_options *options);

/*
 * Implements the operation `create` of struct destination_ops. Takes ownership of `path` if it
 * returns 0.
 */
int file_set_create(struct path_template *path, const struct destination_options *options,
                    struct destination **out, struct error *error);

#endif
