/*
 * Writing to a file by its name, or to standard output, without ever waiting for a reader.
 *
 * A port provides struct output_file and the checks that open nothing (output_check). It uses
 * collector/platform/common/torn_end.h to repair a torn end.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_OUTPUT_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/* --- results of a write ----------------------------------------------------------------------- */

enum write_result {
    WRITE_OK,          /* at least one byte was accepted */
    WRITE_WOULD_BLOCK, /* no byte was accepted: offer the same bytes again when the handle is
                          writable */
    WRITE_FAILED,      /* no byte was accepted, as `error` says; a later write may succeed */
    WRITE_CLOSED,      /* no byte was or will be accepted: the reader has closed */
};

/* --- a format's knowledge of its file --------------------------------------------------------- */

/* Functions with which a format recognises its own records in a file. Pure functions. */

/*
 * Returns the size of the part at the beginning of `size` bytes that consists of the file's head
 * and whole records; 0 if not even the head or the first record is whole. The bytes begin at a
 * record or, if `at_start`, at the beginning of the file with its head. Sets *foreign if the bytes
 * after the whole records do not begin a record, so another program wrote them; clears it if there
 * are no such bytes, or they begin a record that ends beyond `size`.
 */
typedef size_t output_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

/* How certain it is that bytes are a line of the format, or the beginning of one. */
enum output_line {
    OUTPUT_LINE_FOREIGN, /* the format writes no such line */
    OUTPUT_LINE_LIKELY,  /* the format can write it, but so can other programs, or there are too few
                            bytes to decide */
    OUTPUT_LINE_OWN,     /* it has the format's mark */
};

/* The most bytes of a line that output_line examines. */
#define OUTPUT_LINE_LOOK ((size_t)4096)

/*
 * Classifies a line by its first `size` (≥ 1) bytes, at most OUTPUT_LINE_LOOK. If these are the
 * whole line, the last byte is its newline.
 */
typedef enum output_line output_line(const uint8_t *bytes, size_t size);

/* --- open files ------------------------------------------------------------------------------- */

/*
 * A file that is open for writing.
 *
 * Lifecycle: open by one of the two functions, write, close. One thread at a time. The open
 * determines the kind of the file. A regular file is written directly. A pipe, a terminal or a
 * socket is written without blocking; a write reports when it is full. Other programs may read,
 * write, rename and remove an open file.
 *
 * The program ignores SIGPIPE and SIGXFSZ (on systems with signals): a closed reader and a file at
 * its size limit are results of a write.
 */

struct output_file;

/* The treatment of an incomplete line or record that an earlier run left at the end of a file. */
enum torn_line {
    TORN_LINE_NONE,  /* no incomplete line or record */
    TORN_LINE_CUT,   /* the incomplete line or record was cut off */
    TORN_LINE_ENDED, /* a newline was added; the line stays in the file */
};

/* Why a line was ended instead of cut. */
enum torn_line_kept {
    TORN_LINE_SHARED,  /* another program may be writing the line */
    TORN_LINE_LONG,    /* no sink writes a line of that size */
    TORN_LINE_STUCK,   /* the system refused to cut the line */
    TORN_LINE_FOREIGN, /* not a line of the format (only with output_file_format.opened) */
};

struct output_file_start {
    enum torn_line torn;
    enum torn_line_kept kept; /* valid for TORN_LINE_ENDED */
    uint64_t torn_size;       /* bytes of the torn line or record */
    bool mixed;               /* the last line is whole, but not of the format */
};

/*
 * The format of a file. Its torn end is recognised by `line` or, in a format of records, by
 * `whole`.
 */
struct output_file_format {
    const char *name;    /* for errors: "format=pcap" */
    output_line *line;   /* for a format of lines; else NULL */
    output_whole *whole; /* for a format of records */
    bool unmarked; /* a torn record is recognised as the program's own only after a whole one */
    bool opened;   /* the file is being written: end a foreign line instead of failing */
};

/*
 * Opens `path` to append to it, and creates it if it does not exist, with this mode
 * (file_system.h). A regular file that does not end in a newline is repaired first, as *start says:
 *
 * - A line is foreign if it is not the beginning of a line of the format or is longer than a sink
 *   writes (OUTPUT_FILE_TORN_MAX): the file is not opened, and not changed. A line is also foreign
 *   if the line before it is foreign, or if there is no line before it and it lacks a full mark.
 * - If no other program has the file open for writing, as the operating system reports, the line
 *   is cut off. An open waits up to 0.4 seconds for the end of a killed predecessor.
 * - Otherwise another program may be writing the line: a newline is added, so that the next line is
 *   separate and no byte is lost.
 *
 * A file that ends in a newline is appended to, even if its last line is foreign (`mixed`), unless
 * that line or the file's beginning is not text. Without a format no line is foreign.
 *
 * If a format has records, the whole file is read to find out whether the last record is whole. A
 * torn record is cut off if no other program has the file open for writing. Otherwise, or if the
 * file does not contain this format, the file is not opened.
 *
 * A file that may be written but not read is opened unchecked. A named pipe must have a reader.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE; without memory
 * EXIT_CODE_INTERNAL).
 */
int output_file_open_append(const char *path, unsigned mode,
                            const struct output_file_format *format, struct output_file **out,
                            struct output_file_start *start, struct error *error);

/*
 * Checks whether output_file_open_append would accept the content of the regular file `path`, if it
 * can be read; changes nothing. Returns 0, or -1 with `error` filled.
 */
int output_file_check_content(const char *path, const struct output_file_format *format,
                              struct output_file_start *start, struct error *error);

#define OUTPUT_FILE_TORN_MAX ((uint64_t)2 * 1024 * 1024)

/*
 * Opens standard output without effects on other processes that have it: a pipe or a terminal is
 * written through a new, non-blocking file description. If that cannot be opened, a write waits for
 * room by poll() and has at most the size that a pipe accepts at once; a write to a terminal that
 * the user has stopped may block then. On Windows, which has no non-blocking descriptions, a
 * separate thread writes and waits. Returns as output_file_open_append does; fails if standard
 * output is closed, or open for reading only.
 */
int output_file_open_stdout(struct output_file **out, struct error *error);

/*
 * To be called first in main: if the program was started without one of its standard streams,
 * reserves the stream's number, so that no other file gets that number and the data meant for the
 * stream.
 */
void output_file_hold_standard_streams(void);

/*
 * Writes the first *written of `size` (≥ 1) bytes. See enum write_result. After WRITE_WOULD_BLOCK
 * the next write must offer the same first bytes again, because some systems have begun to write
 * them. A caller that has other bytes to write, or no bytes, calls output_file_cancel first.
 *
 * If a file that was opened by its name was emptied or cut since, the bytes written are taken back
 * (unless another program has appended to the file): the write returns WRITE_FAILED, and
 * output_file_is_cut is true.
 */
enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error);

/*
 * Ends the write in progress after WRITE_WOULD_BLOCK, within a tenth of a second. Returns how many
 * of its bytes, from the first on, were written; these must not be offered again.
 */
size_t output_file_cancel(struct output_file *file);

/*
 * Returns the handle to wait for after WRITE_WOULD_BLOCK, or NO_HANDLE for a regular file, which
 * never blocks.
 */
wait_handle output_file_handle(const struct output_file *file);

/*
 * Removes the last `size` bytes written from a regular file. Bytes that another program has cut off
 * count as removed. Returns false and leaves the file unchanged if it is not a regular file, or if
 * another program has written after these bytes.
 */
bool output_file_roll_back(struct output_file *file, size_t size);

/*
 * Returns true if the next write is the first one: a regular file is empty, or any other file was
 * not written to since it was opened.
 */
bool output_file_at_beginning(const struct output_file *file);

/*
 * Returns true if the next write to a regular file would continue a line, because the byte before
 * it is not a newline. Returns false for any other file, and if that byte cannot be read, as on
 * Windows.
 */
bool output_file_is_in_line(const struct output_file *file);

/*
 * Returns true if the file is regular. Several functions here have an effect only on a regular
 * file.
 */
bool output_file_is_regular(const struct output_file *file);

/* Flushes a regular file to the disk. Returns false with `error` filled. */
bool output_file_sync(struct output_file *file, struct error *error);

/* Returns the size of a regular file in bytes; 0 for any other file. */
uint64_t output_file_size(const struct output_file *file);

/* Returns true if the file is a terminal, which must not get binary data. */
bool output_file_is_terminal(const struct output_file *file);

/* Returns true if the file has no name left: data written to it is lost. */
bool output_file_is_removed(const struct output_file *file);

/*
 * Releases the name of a regular file that was removed, so that another file can have the name. If
 * the system reserves the name until the file is closed, this closes the file: later writes fail,
 * and the last write counts as taken back. Returns true if the file was closed.
 */
bool output_file_let_name_go(struct output_file *file);

/*
 * Returns true if a regular file was emptied or cut from outside: it ends before the last byte that
 * was written to it and not taken back.
 */
bool output_file_is_cut(const struct output_file *file);

enum output_file_state {
    OUTPUT_FILE_IN_PLACE, /* `path` names the file */
    OUTPUT_FILE_CUT,      /* `path` names the file, which was cut (output_file_is_cut) */
    OUTPUT_FILE_MOVED,    /* the file was renamed or removed: `path` does not name it */
    OUTPUT_FILE_UNSEEN,   /* the system does not show where it is, for example without permission to
                             search the folder */
};

/*
 * Checks whether `path` names the file. `error` is filled for OUTPUT_FILE_UNSEEN, and may change in
 * other cases.
 */
enum output_file_state output_file_look(const struct output_file *file, const char *path,
                                        struct error *error);

/*
 * Continues with a file that was cut and that `path` names: repairs its end as an open does, and
 * appends there. Returns 0, or -1 with `error` filled as an open does; later writes then follow the
 * unrepaired end.
 */
int output_file_mend(struct output_file *file, const char *path,
                     const struct output_file_format *format, struct output_file_start *start,
                     struct error *error);

/* Closes the file, or releases standard output. NULL is allowed. */
void output_file_close(struct output_file *file);

/* --- checks before a start -------------------------------------------------------------------- */

/*
 * These functions find the errors of a later open, before any file is opened. They create and
 * change nothing. A later open may still fail. Any thread.
 *
 * They use the effective user and rights that the process has now.
 */

/*
 * Checks whether the file `path` can be opened for writing, or created if it does not exist.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int output_check_file(const char *path, struct error *error);

/*
 * Checks whether files can be created in the folder `path`, or in the folder of the file `path`.
 * Both return as output_check_file does.
 */
int output_check_folder(const char *path, struct error *error);
int output_check_beside(const char *path, struct error *error);

/*
 * Checks whether other files can be renamed to this path: no file is there, or a regular one, or a
 * link to one. Returns as output_check_file does.
 */
int output_check_replaceable(const char *path, struct error *error);

#endif
