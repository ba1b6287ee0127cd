/*
 * Computes the number and size of a file set's blocks, and its memory. Pure functions of the path
 * and the settings of a sink.
 */
#ifndef SLUICE_SINKS_FILES_FILE_SHAPE_H
#define SLUICE_SINKS_FILES_FILE_SHAPE_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_options.h"
#include "sinks/files/path_template.h"

/* Returns the shape of a file set. The memory is without struct file_set. */
struct destination_shape file_shape(const struct path_template *path,
                                    const struct destination_options *options);

/* Returns the maximum number of paths in use at a time, without those of "other" files. */
size_t file_shape_paths(const struct path_template *path, const struct file_options *options);

/* Returns the maximum number of open files. */
size_t file_shape_open(const struct destination_shape *shape);

/* Returns the maximum bytes of a frame, or 0 without compression. */
size_t file_shape_frame_room(const struct destination_shape *shape,
                             const struct compression_ops *compression);

#endif
