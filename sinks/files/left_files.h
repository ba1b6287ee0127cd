/*
 * Files that an earlier run left behind before they were complete, because it was killed or the
 * machine stopped: cut off after their last whole record or frame, and completed.
 *
 * Only files that no living program has locked are touched, and of them only those that look like
 * what this sink writes. Used by the sink's thread, or before it starts.
 */
#ifndef SLUICE_SINKS_FILES_LEFT_FILES_H
#define SLUICE_SINKS_FILES_LEFT_FILES_H

#include "collector/contract/compression.h"
#include "collector/contract/destination_settings.h"
#include "collector/contract/encoder.h"
#include "sinks/files/finished_files.h"

/* What a sink writes. */
struct file_content {
    const char *name; /* of the sink, for the log */
    const struct encoder_ops *encoder;
    size_t head_size;                /* bytes that a file begins with, as they lie there */
    struct compression *compression; /* NULL: none */
    enum file_sync sync;             /* not SYNC_NEVER: what is complete has reached the disk */
};

/* What it is called for people: "format=json&compress=zstd". */
#define FILE_CONTENT_TEXT_SIZE 64
void file_content_format(const struct file_content *content, char text[FILE_CONTENT_TEXT_SIZE]);

enum left_result {
    LEFT_DONE,    /* it is complete, or was empty and is gone; or it was not there */
    LEFT_LOCKED,  /* a living program writes it */
    LEFT_WAITS,   /* it is complete, and has to wait for its name (sinks/files/finished_files.h) */
    LEFT_BUSY,    /* it cannot be had, or cannot be renamed and too many wait; `error` says why */
    LEFT_FOREIGN, /* it is not of this content, and stays as it is */
    LEFT_FAILED,  /* `error` says why */
};

/*
 * At a start: finishes all that are left of this path, and reports the complete files that
 * earlier runs have left. What cannot be finished is logged, and stays.
 */
void left_files_finish(const struct file_content *content, const struct path_template *path,
                       struct finished_files *finished);

/* Finishes the part that has these names (its file is NULL), and logs that. */
enum left_result left_file_finish(const struct file_content *content,
                                  const struct complete_part *left, struct finished_files *finished,
                                  struct error *error);

#endif
