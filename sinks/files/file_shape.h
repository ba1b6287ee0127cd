/*
 * How many blocks a file set has and how large they are, and the memory that it needs. Pure
 * functions of the path and the keys of a sink.
 */
#ifndef SLUICE_SINKS_FILES_FILE_SHAPE_H
#define SLUICE_SINKS_FILES_FILE_SHAPE_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_options.h"
#include "sinks/files/path_template.h"

/* The shape of a file set; its memory is without struct file_set. */
struct destination_shape file_shape(const struct path_template *path,
                                    const struct destination_options *options);

/* Returns how many different paths may be in use at a time, "other" not included. */
size_t file_shape_paths(const struct path_template *path, const struct file_options *options);

/* Returns how many files may be open at a time. */
size_t file_shape_open(const struct destination_shape *shape);

/* Returns the bytes of the largest frame; 0 without compression. */
size_t file_shape_frame_room(const struct destination_shape *shape,
                             const struct compression_ops *compression);

#endif
