#include "collector/receive/dead_letter_file.h"

#include <inttypes.h>
#include <stdio.h>

#include "collector/base/rule.h"
#include "collector/platform/output_file.h"

/*
 * The pause in milliseconds before the rest of a partly written block is written, if the written
 * part cannot be removed.
 */
#define PAUSE_MS 100

/*
 * If the file was ready SPURIOUS_MOST times in a row but took no bytes, for example because another
 * writer was quicker, each further wait lasts SPURIOUS_PAUSE_MS milliseconds.
 */
#define SPURIOUS_MOST     10
#define SPURIOUS_PAUSE_MS 10

/* Nanoseconds between two attempts to open a new file after the old one was removed. */
#define RETRY_NS INT64_C(1000000000)

static const struct output_file_format format = {.name = "dead letters", .whole = pcapng_whole};

static int open_letter_file(struct dead_letter_file *file, struct output_file **out,
                            struct error *error)
{
    const struct dead_letter_options *options = file->options;
    struct output_file_start start;
    if (output_file_open_append(options->path, options->mode, &format, out, &start, error) != 0)
        return -1;
    if (output_file_is_terminal(*out)) {
        output_file_close(*out);
        *out = NULL;
        error_set(error, EXIT_CODE_CONFIG, "dead letters are binary and %s is a terminal",
                  options->path);
        return -1;
    }
    if (start.torn == TORN_LINE_CUT)
        log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
                  "removed %" PRIu64 " bytes of an incomplete dead letter that an earlier run left",
                  start.torn_size);
    return 0;
}

static void read_size(struct dead_letter_file *file)
{
    file->size = output_file_size(file->output);
    file->full = false;
}

int dead_letter_file_open(struct dead_letter_file *file, struct error *error)
{
    if (open_letter_file(file, &file->output, error) != 0)
        return -1;
    read_size(file);
    file->section_due = true;
    return 0;
}

/*
 * Opens the file by its name. If the system still reserves the name for the removed file, releases
 * the name first.
 */
static bool open_fresh(struct dead_letter_file *file, struct output_file **fresh,
                       struct error *error)
{
    return open_letter_file(file, fresh, error) == 0 ||
           (output_file_let_name_go(file->output) && open_letter_file(file, fresh, error) == 0);
}

static void go_on_with(struct dead_letter_file *file, struct output_file *fresh)
{
    output_file_close(file->output);
    file->output = fresh;
    file->ended = false;
    file->removed = false;
    file->retry_ns = 0;
    file->section_due = true;
    read_size(file);
}

void dead_letter_file_reopen(struct dead_letter_file *file)
{
    const struct dead_letter_options *options = file->options;
    struct output_file *fresh;
    struct error error;
    enum output_file_state state = output_file_look(file->output, options->path, &error);
    if (state == OUTPUT_FILE_IN_PLACE || state == OUTPUT_FILE_CUT) {
        file->section_due = file->section_due || output_file_at_beginning(file->output);
        read_size(file);
        return;
    }
    if (state == OUTPUT_FILE_UNSEEN || !open_fresh(file, &fresh, &error)) {
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, options->name, "cannot reopen; %s: %s",
                  file->removed ? "dead letters are lost" : "continuing with the old file",
                  error.text);
        return;
    }
    go_on_with(file, fresh);
    log_about(LOG_INFO, LOG_OF_DEAD_LETTERS, options->name, "reopened");
}

static void log_failure(struct dead_letter_file *file, const char *what)
{
    uint64_t suppressed;
    if (log_allowed(&file->log, &suppressed))
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, file->options->name, "%s; dead letters are lost",
                  what);
}

/*
 * Handles a failed write; `sent` bytes of the block are in the file. Returns true if the remaining
 * bytes must be written.
 */
static bool must_go_on(struct dead_letter_file *file, size_t sent, const struct error *error)
{
    log_failure(file, error->text);
    if (sent == 0 || output_file_roll_back(file->output, sent))
        return false;
    wakeup_wait(file->wakeup, NO_HANDLE, false, deadline_wait_ms(file->deadline, PAUSE_MS));
    return true;
}

/*
 * Waits until the file takes bytes again. *spurious counts the waits that found room since a write
 * last took bytes.
 */
static void wait_for_room(struct dead_letter_file *file, unsigned *spurious)
{
    bool backs_off = *spurious >= SPURIOUS_MOST;
    wait_handle handle = backs_off ? NO_HANDLE : output_file_handle(file->output);
    int most = deadline_wait_ms(file->deadline, backs_off ? SPURIOUS_PAUSE_MS : -1);
    enum wakeup_reason reason = wakeup_wait(file->wakeup, handle, true, most);
    if (reason == WAKEUP_WRITABLE || reason == WAKEUP_BROKEN)
        (*spurious)++;
}

/*
 * Writes the whole block. Returns false with *why if it was not written; usually the file then has
 * no byte of it. After the deadline a part may remain, in a pipe whose reader has stalled or in a
 * file that cannot be cut.
 */
static bool write_letter_block(struct dead_letter_file *file, size_t size,
                               enum dead_letter_drop *why)
{
    size_t sent = 0;
    unsigned spurious = 0;
    *why = DROPPED_IO_ERROR;
    while (sent < size && !file->ended) {
        struct error error;
        size_t written = 0;
        switch (
            output_file_write(file->output, file->block + sent, size - sent, &written, &error)) {
        case WRITE_OK:
            sent += written;
            spurious = 0;
            continue;
        case WRITE_WOULD_BLOCK:
            wait_for_room(file, &spurious);
            break;
        case WRITE_FAILED:
            if (!must_go_on(file, sent, &error))
                return false;
            break;
        case WRITE_CLOSED:
            log_failure(file, "the reader has closed the pipe");
            file->ended = true;
            break;
        }
        if (deadline_is_over(file->deadline)) {
            *why = DROPPED_STOP_TIMEOUT;
            sent += output_file_cancel(file->output);
            return sent == size;
        }
    }
    return sent == size;
}

/* Returns true if the file has room for the letter. Logs once that the file is full. */
static bool letter_fits(struct dead_letter_file *file, size_t size)
{
    const struct dead_letter_options *options = file->options;
    if (!file->full && file->size + size > options->max_size) {
        file->full = true;
        log_about(
            LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
            "the file has reached max_size=; dead letters are only counted until it is removed, "
            "or is moved away and SIGHUP begins a new one");
    }
    return !file->full;
}

/*
 * Returns true if the disk has enough free space. Logs once that it has too little, and once that
 * it has enough again.
 */
static bool disk_has_room(struct dead_letter_file *file)
{
    const struct dead_letter_options *options = file->options;
    struct error error;
    bool has = !output_file_is_regular(file->output) ||
               disk_room_has(&file->room, &options->reserve, options->path, &error);
    if (!has && !file->short_of_room)
        log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
                  "%s; until then dead letters are only counted", error.text);
    if (has && file->short_of_room)
        log_about(LOG_INFO, LOG_OF_DEAD_LETTERS, options->name, "dead letters are kept again");
    file->short_of_room = !has;
    return has;
}

static void replace_removed(struct dead_letter_file *file)
{
    const struct dead_letter_options *options = file->options;
    struct output_file *fresh;
    struct error error;
    char what[sizeof error.text + 64];
    int64_t now = clock_monotonic_ns();
    if (!output_file_is_removed(file->output) || now < file->retry_ns ||
        output_file_look(file->output, options->path, &error) != OUTPUT_FILE_MOVED)
        return;
    file->removed = !open_fresh(file, &fresh, &error);
    if (file->removed) {
        file->retry_ns = now + RETRY_NS;
        snprintf(what, sizeof what, "the file was removed: %s", error.text);
        log_failure(file, what);
        return;
    }
    go_on_with(file, fresh);
    log_about(LOG_WARNING, LOG_OF_DEAD_LETTERS, options->name,
              "the file was removed; opened a new one");
}

void dead_letter_file_look(struct dead_letter_file *file)
{
    const struct dead_letter_options *options = file->options;
    struct output_file_start start;
    struct error error;
    if (output_file_is_regular(file->output))
        replace_removed(file);
    if (file->full || !output_file_is_cut(file->output))
        return;
    if (output_file_mend(file->output, options->path, &format, &start, &error) != 0)
        log_about(LOG_ERROR, LOG_OF_DEAD_LETTERS, options->name,
                  "the file was cut, and its end cannot be repaired: %s", error.text);
    file->section_due = true;
    read_size(file);
}

bool dead_letter_file_append(struct dead_letter_file *file, size_t size, enum dead_letter_drop *why)
{
    bool kept = false;
    RULE(size <= sizeof file->block, "a block fits its buffer");
    if (deadline_is_over(file->deadline))
        *why = DROPPED_STOP_TIMEOUT;
    else if (file->removed)
        *why = DROPPED_IO_ERROR;
    else if (!letter_fits(file, size))
        *why = DROPPED_FILE_FULL;
    else if (!disk_has_room(file))
        *why = DROPPED_MIN_FREE;
    else
        kept = write_letter_block(file, size, why);
    if (!kept)
        return false;
    file->section_due = false;
    file->size += size;
    return true;
}
