/*
 * Handles incomplete files of an earlier run that was killed or whose machine stopped: cuts them
 * after their last whole record or frame, and completes them.
 *
 * Changes a file only if it is not locked by a living program and looks like the output of this
 * sink. Used by the sink's thread, or before that thread starts.
 */
#ifndef SLUICE_SINKS_FILES_LEFT_FILES_H
#define SLUICE_SINKS_FILES_LEFT_FILES_H

#include "collector/contract/compression.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "sinks/files/finished_files.h"

/* The content that a sink writes. */
struct file_content {
    const char *name; /* name of the sink, for the log */
    const struct encoder_ops *encoder;
    size_t head_size;                /* size of a file's head, as stored */
    struct compression *compression; /* NULL: none */
    enum file_sync sync;             /* if not SYNC_NEVER, a file is synced before it is
                                        completed */
};

/* Writes the content's name for people: "format=json&compress=zstd". */
#define FILE_CONTENT_TEXT_SIZE 64
void file_content_format(const struct file_content *content, char text[FILE_CONTENT_TEXT_SIZE]);

enum left_result {
    LEFT_DONE,    /* the file is complete; or it was empty and is removed; or it did not exist */
    LEFT_LOCKED,  /* a living program writes the file */
    LEFT_WAITS,   /* the file is complete, and waits for its name (sinks/files/finished_files.h) */
    LEFT_BUSY,    /* the file cannot be opened, or it cannot be renamed and too many files wait;
                     `error` has the reason */
    LEFT_FOREIGN, /* the file has other content, and is not changed */
    LEFT_FAILED,  /* `error` has the reason */
};

/*
 * Finishes all incomplete files of this path at a start, and reports the complete files of earlier
 * runs. A file that cannot be finished is logged and kept.
 */
void left_files_finish(const struct file_content *content, const struct path_template *path,
                       struct finished_files *finished);

/* Finishes the part with the names in *left (left->file is NULL), and logs that. */
enum left_result left_file_finish(const struct file_content *content,
                                  const struct complete_part *left, struct finished_files *finished,
                                  struct error *error);

#endif
