/*
 * Writing to a file by its name, or to standard output, without ever waiting for a reader.
 *
 * A port provides struct output_file and the checks that open nothing (output_check). It
 * repairs a torn end by collector/platform/common/torn_end.h.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_OUTPUT_FILE_H
#define SLUICE_COLLECTOR_PLATFORM_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/platform/wakeup.h"

/* --- results of a write ----------------------------------------------------------------------- */

/* What became of a write that never waits for a reader. */

enum write_result {
    WRITE_OK,          /* bytes, at least one, were accepted */
    WRITE_WOULD_BLOCK, /* none as yet: when the handle is writable, offer the same again */
    WRITE_FAILED,      /* none, and `error` says why; it may work later */
    WRITE_CLOSED,      /* none, and never again: the reader has gone */
};

/* --- what a format says about its file -------------------------------------------------------- */

/* How far the bytes of a file are whole records: what a format says about a file of its own. */

/*
 * Of `size` bytes that begin where a record does (`at_start`: where the file does, with its head):
 * how many, from the front, are the head and whole records; 0: not even the first is. *foreign:
 * what follows those is not the beginning of a record either, so that somebody else has written
 * it. Where it is false they are all, or the next one goes on after the last byte. A pure
 * function.
 */
typedef size_t output_whole(const uint8_t *bytes, size_t size, bool at_start, bool *foreign);

/* How sure it is that bytes are a line that a format writes, or the beginning of one. */
enum output_line {
    OUTPUT_LINE_FOREIGN, /* the format writes no such line */
    OUTPUT_LINE_LIKELY,  /* it can write one, but so can others, or they are too few to say */
    OUTPUT_LINE_OWN,     /* it is marked as the format's */
};

/* Bytes of a line that a format looks at. */
#define OUTPUT_LINE_LOOK ((size_t)4096)

/*
 * Of the first `size` (≥ 1) bytes of a line, at most OUTPUT_LINE_LOOK of them. The last of them is
 * its newline where it is whole and no longer than that. A pure function.
 */
typedef enum output_line output_line(const uint8_t *bytes, size_t size);

/* --- open files ------------------------------------------------------------------------------- */

/*
 * Writing to a file by its name, or to standard output, without ever waiting for a reader.
 *
 * Lifecycle: open by one of the two functions, write, close. One thread at a time. What
 * the name or the standard output leads to is found out here: a regular file is written as it is; a
 * pipe, a terminal or a socket is written without blocking, and says when it is full. Other
 * programs may read, write, rename and remove a file that is open here.
 *
 * The program ignores SIGPIPE and SIGXFSZ (where there are signals): a reader that has gone and a
 * file that has reached its limit are results of a write.
 */

struct output_file;

/* What was done about a line without its end that an earlier run left at the end of a file. */
enum torn_line {
    TORN_LINE_NONE,  /* there was none */
    TORN_LINE_CUT,   /* it was taken off the file: the line, or a binary format's record */
    TORN_LINE_ENDED, /* it got its newline and stays */
};

/* Why a line was ended and not cut. */
enum torn_line_kept {
    TORN_LINE_SHARED,  /* another program may be writing it */
    TORN_LINE_LONG,    /* no sink writes one of that size */
    TORN_LINE_STUCK,   /* the system did not cut it */
    TORN_LINE_FOREIGN, /* it is not a line of the format (only where the file is open already) */
};

struct output_file_start {
    enum torn_line torn;
    enum torn_line_kept kept; /* of TORN_LINE_ENDED */
    uint64_t torn_size;       /* bytes of that line or record */
    bool mixed;               /* its last line is whole, and not one of the format */
};

/* What a file holds, and how its own torn end is recognised: by lines, or by records. */
struct output_file_format {
    const char *name;    /* for errors: "format=pcap" */
    output_line *line;   /* of a format of lines; else NULL */
    output_whole *whole; /* of a format of records */
    bool unmarked;       /* its torn record is recognised only after a whole one */
    bool opened;         /* it is being written: ends a foreign line, and does not fail */
};

/*
 * Opens `path` to append to it; makes it where it is not there (mode 0644, less the umask). A
 * regular file that does not end in a newline is put right first, as *start says:
 *
 * - A line that is not the beginning of one of the format, or is longer than a sink writes
 *   (OUTPUT_FILE_TORN_MAX), is foreign: the file is not opened, and nothing in it changes. The same
 *   where the line before it is foreign, or where there is none and it has no full mark.
 * - Where no other program has the file open for writing, the line is cut off. The operating system
 *   says so, it is not guessed; the end of a killed predecessor is waited for, up to 0.4 seconds.
 * - Otherwise another program may be writing the line: it is ended by a newline, so that the next
 *   line is separate, and no byte is lost.
 *
 * A file that ends in a newline is appended to, also where its last line is foreign (`mixed`),
 * unless that or the file's beginning is not text. Without a format every line is taken for ours.
 *
 * Where a format has records its last one must be whole, which is found out by reading the whole
 * file. A torn one is cut off on the same conditions; where they do not hold, and where the file
 * does not hold this format, it is not opened.
 *
 * A file that may be written but not read is taken as it is. A named pipe must have a reader.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE; without memory
 * EXIT_CODE_INTERNAL).
 */
int output_file_open_append(const char *path, const struct output_file_format *format,
                            struct output_file **out, struct output_file_start *start,
                            struct error *error);

/*
 * Whether the regular file that `path` names, if it can be read, would be opened as far as its
 * content is concerned; changes nothing. Returns 0, or -1 with `error` filled.
 */
int output_file_check_content(const char *path, const struct output_file_format *format,
                              struct output_file_start *start, struct error *error);

#define OUTPUT_FILE_TORN_MAX ((uint64_t)2 * 1024 * 1024)

/*
 * Opens standard output, wherever it leads. Its other owners notice nothing of this: a pipe or a
 * terminal is written through a non-blocking description of our own. Where that cannot be had, a
 * write is at most of the size that a pipe takes at once, when it says that it would; the same of
 * a terminal that was stopped may block. On Windows, where no description is non-blocking, it is
 * written by a thread of its own that waits. Returns as above: standard output is closed, or open
 * for reading only.
 */
int output_file_open_stdout(struct output_file **out, struct error *error);

/*
 * First thing in main: where the program was started without one of its standard streams, keeps
 * that stream's number from going to another file, which would get what is meant for the stream.
 */
void output_file_hold_standard_streams(void);

/*
 * Writes a first part of `size` (≥ 1) bytes, as collector/platform/output_file.h says of a
 * destination's write. After WRITE_WOULD_BLOCK the next write offers the same first bytes again:
 * some systems have them on their way by then. Who has other bytes to write, or none, cancels
 * them before.
 *
 * What is written to a file that was opened by its name, after somebody has emptied or cut it, is
 * taken back where nobody else has appended meanwhile: WRITE_FAILED, and output_file_is_cut.
 */
enum write_result output_file_write(struct output_file *file, const void *bytes, size_t size,
                                    size_t *written, struct error *error);

/*
 * After WRITE_WOULD_BLOCK: ends what is on its way, within a tenth of a second, and returns how
 * many of the bytes, from the first on, were accepted: they are written, and not offered again.
 */
size_t output_file_cancel(struct output_file *file);

/* What to wait for after WRITE_WOULD_BLOCK, or NO_HANDLE: a regular file never says that. */
wait_handle output_file_handle(const struct output_file *file);

/*
 * Takes the last `size` bytes written off a regular file again. Bytes that somebody has cut off the
 * file meanwhile are gone already. Returns false, the file untouched, where it is none or where
 * they are not the file's last: somebody else has written.
 */
bool output_file_roll_back(struct output_file *file, size_t size);

/*
 * Whether what is written next is the first of it: a regular file is empty, another one was not
 * written to since it was opened.
 */
bool output_file_at_beginning(const struct output_file *file);

/* Whether it is a regular file, which answers more than a pipe or a terminal. */
bool output_file_is_regular(const struct output_file *file);

/* Makes what was written to a regular file reach the disk. Returns false with `error` filled. */
bool output_file_sync(struct output_file *file, struct error *error);

/* Bytes that a regular file has now; 0 of anything else. */
uint64_t output_file_size(const struct output_file *file);

/* Whether it is a terminal: what is not text has no business there. */
bool output_file_is_terminal(const struct output_file *file);

/* Whether no name is left of it: what is written to it is lost. */
bool output_file_is_removed(const struct output_file *file);

/*
 * Of a regular file without a name, that was opened by its name: has the name free
 * for another file. Some systems keep it until nobody has the file open; there it is closed, writes
 * fail from then on, and what was written last counts as taken back. Returns whether it was.
 */
bool output_file_let_name_go(struct output_file *file);

/*
 * Whether somebody has emptied a regular file or cut it: it ends before the last byte that was
 * written to it, less what was taken back.
 */
bool output_file_is_cut(const struct output_file *file);

enum output_file_state {
    OUTPUT_FILE_IN_PLACE, /* `path` names it */
    OUTPUT_FILE_CUT,      /* the same, and output_file_is_cut */
    OUTPUT_FILE_MOVED,    /* `path` does not name it: it was renamed or removed */
    OUTPUT_FILE_UNSEEN,   /* the system does not say, as where the folder may not be searched */
};

/* Where the file is. `error` is filled where it is OUTPUT_FILE_UNSEEN, and may change elsewhere. */
enum output_file_state output_file_look(const struct output_file *file, const char *path,
                                        struct error *error);

/*
 * Goes on with a file that was cut, which `path` names: puts its end right as opening it does, and
 * writes after that. Returns 0, or -1 with `error` filled as opening does: its end stays as it is,
 * and what is written follows it.
 */
int output_file_mend(struct output_file *file, const char *path,
                     const struct output_file_format *format, struct output_file_start *start,
                     struct error *error);

/* Closes it, or lets go of standard output. NULL is allowed. */
void output_file_close(struct output_file *file);

/* --- checks before a start -------------------------------------------------------------------- */

/*
 * Whether files can be written before any is opened: what a start would fail at is found without
 * making or changing anything. Any thread.
 *
 * It asks for the rights of the process as they are (of its effective user). A later open may fail
 * all the same: the answer is as old as the question.
 */

/*
 * Whether the file `path` can be opened to be written, or can be made where it is not there.
 * Returns 0, or -1 with `error` filled (EXIT_CODE_CANNOT_CREATE).
 */
int output_check_file(const char *path, struct error *error);

/* Whether files can be made in the folder `path`, or beside the file `path`. Returns as above. */
int output_check_folder(const char *path, struct error *error);
int output_check_beside(const char *path, struct error *error);

#endif
