/*
 * file:PATH with rotation, compression, fields in the path, or an encoder that arranges blocks: a
 * set of files, each written under PATH.part until it is complete (sinks/files/live_file.h).
 *
 * A file is complete when it has reached rotate_size, when a multiple of rotate_interval of the
 * clock (UTC) has passed, when the time in its path is over, on SIGHUP, and at the end. With
 * compression a block becomes one frame. A block that was arranged is a file of its own.
 */
#ifndef SLUICE_SINKS_FILES_FILE_SET_H
#define SLUICE_SINKS_FILES_FILE_SET_H

#include "collector/contract/destination.h"
#include "collector/contract/destination_files.h"
#include "collector/contract/destination_options.h"
#include "sinks/files/path_template.h"

/* Whether these options ask for one. */
bool file_set_is_asked_for(const struct path_template *path,
                           const struct destination_options *options);

/* How it takes records. A pure function. */
struct destination_shape file_set_shape(const struct path_template *path,
                                        const struct destination_options *options);

/* For create of struct destination_ops. Takes over `path` when it returns 0. */
int file_set_create(struct path_template *path, const struct destination_options *options,
                    struct destination **out, struct error *error);

#endif
