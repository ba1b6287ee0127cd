/*
 * Handles incomplete files of an earlier run that was killed or whose machine stopped: cuts them
 * off after their last complete record or frame, and completes them.
 *
 * Changes a file only if it is not locked by a running program and looks like the output of this
 * sink. For the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_LEFT_FILES_H
#define SLUICE_SINKS_FILES_LEFT_FILES_H

#include "collector/contract/compression.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "sinks/files/finished_files.h"

/* The content of a sink's files. */
struct file_content {
    const char *name; /* name of the sink, for the log */
    const struct encoder_ops *encoder;
    size_t head_size;                /* size of a file's head as stored */
    struct compression *compression; /* NULL if there is no compression */
    /* unless SYNC_NEVER, a file is synced before it is completed */
    enum file_sync sync;
};

/* Writes a description of the content for people, such as "format=json&compress=zstd". */
#define FILE_CONTENT_TEXT_SIZE 64
void file_content_format(const struct file_content *content, char text[FILE_CONTENT_TEXT_SIZE]);

enum left_result {
    LEFT_DONE,   /* the file is complete; or it was empty and is removed; or it did not exist */
    LEFT_LOCKED, /* a running program writes the file */
    LEFT_WAITS,  /* the file is complete, and waits for its name (sinks/files/finished_files.h) */
    /* the file cannot be opened; or it cannot be renamed and too many files wait; see `error` */
    LEFT_BUSY,
    LEFT_FOREIGN, /* other content; the file is not changed */
    LEFT_FAILED,  /* see `error` */
};

/*
 * Finishes all incomplete files of the path at the start, and reports the complete files of earlier
 * runs. A file that cannot be finished is logged and kept.
 */
void left_files_finish(const struct file_content *content, const struct path_template *path,
                       struct finished_files *finished);

/* Finishes the file with the names in *left (left->file is NULL), and logs that. */
enum left_result left_file_finish(const struct file_content *content,
                                  const struct complete_part *left, struct finished_files *finished,
                                  struct error *error);

#endif
