/*
 * A `file:` sink without fields in its path, rotation, compression and sorting writes a plain file,
 * with the functions below. All other `file:` sinks write sets of files (sinks/files/file_set.h).
 *
 * A plain file is appended to. It is opened again on request, or when its path no longer leads to
 * it: log rotation renames the file and then sends SIGHUP. A truncated file is continued.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/contract/encoder.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/output_file.h"
#include "sinks/destinations/destinations.h"
#include "sinks/destinations/output_destination.h"
#include "sinks/files/file_set.h"
#include "sinks/files/path_names.h"
#include "sinks/files/path_template.h"

/* How long to wait for SIGHUP after a file was moved. */
#define MOVED_NS INT64_C(2000000000)

struct plain_file {
    struct output_destination output;
    bool moved;       /* it was logged that the file was moved and could not be reopened */
    int64_t moved_ns; /* monotonic: when the move was first seen; 0: not moved */
    struct disk_room room;
    bool unsynced;     /* data was written since the last fsync */
    int64_t synced_ns; /* monotonic */
    char path[PATH_TEMPLATE_SIZE];
};

static struct plain_file *file_of(struct destination *destination)
{
    return (struct plain_file *)destination;
}

/* --- opening ---------------------------------------------------------------------------------- */

static const char *const kept_because[] = {
    [TORN_LINE_SHARED] = "another program may be writing it",
    [TORN_LINE_LONG] = "it is longer than any line of ours",
    [TORN_LINE_STUCK] = "the system did not cut it",
    [TORN_LINE_FOREIGN] = "it is not a line of this sink",
};

static void log_start(const struct destination_options *options,
                      const struct output_file_start *start)
{
    if (start->mixed)
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "its last line is not of format=%s; lines of that format follow it",
                  options->settings->encoder->name);
    if (start->torn == TORN_LINE_CUT)
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "cut off %" PRIu64 " bytes of an incomplete %s of an earlier run",
                  start->torn_size, options->settings->encoder->binary ? "record" : "line");
    else if (start->torn == TORN_LINE_ENDED)
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "its last line had no newline and got one; the line was not cut off, because %s",
                  kept_because[start->kept]);
}

#define FORMAT_NAME_SIZE 64

/*
 * Returns the format by which an incomplete last record of this sink is recognised. `name` is a
 * buffer for the format's name.
 */
static struct output_file_format format_of(const struct destination_options *options,
                                           char name[FORMAT_NAME_SIZE])
{
    const struct encoder_ops *encoder = options->settings->encoder;
    snprintf(name, FORMAT_NAME_SIZE, "format=%s", encoder->name);
    return (struct output_file_format){.name = name,
                                       .line = encoder->line,
                                       .whole = encoder->whole,
                                       .unmarked = encoder->unmarked};
}

static int plain_file_open(const struct output_destination *output, struct output_file **file,
                           struct error *error)
{
    const struct destination_options *options = &output->options;
    struct output_file_start start;
    char name[FORMAT_NAME_SIZE];
    const struct output_file_format format = format_of(options, name);
    const unsigned mode = (unsigned)options->settings->file.mode;
    if (output_file_open_append(options->path, mode, &format, file, &start, error) != 0)
        return -1;
    if (output_destination_check(output, *file, options->path, error) != 0) {
        output_file_close(*file);
        *file = NULL;
        return -1;
    }
    log_start(options, &start);
    return 0;
}

static void sync_now(struct plain_file *plain)
{
    const struct destination_options *options = &plain->output.options;
    struct error error;
    plain->synced_ns = clock_monotonic_ns();
    if (options->settings->file.sync == SYNC_NEVER || !plain->unsynced)
        return;
    bool synced = output_file_sync(plain->output.file, &error);
    plain->unsynced = !synced; /* after a failure, the next call must sync again */
    if (synced)
        return;
    counter_add(&options->counters->write_errors, 1);
    log_about(LOG_ERROR, LOG_OF_SINK, options->name, "%s", error.text);
}

/*
 * Opens the file again. If the new file cannot be opened, the old one stays open. Some systems
 * reserve the name of a removed file until it is closed: then it is closed first.
 */
static int open_again(struct plain_file *plain, struct error *error)
{
    struct output_destination *output = &plain->output;
    struct output_file *fresh;
    if (plain_file_open(output, &fresh, error) != 0 &&
        (!output_file_let_name_go(output->file) || plain_file_open(output, &fresh, error) != 0))
        return -1;
    sync_now(plain);
    output_file_close(output->file);
    output->file = fresh;
    plain->moved = false;
    plain->moved_ns = 0;
    return 0;
}

static int file_reopen(struct destination *destination, struct error *error)
{
    struct plain_file *plain = file_of(destination);
    switch (output_file_look(plain->output.file, plain->output.options.path, error)) {
    case OUTPUT_FILE_IN_PLACE:
    case OUTPUT_FILE_CUT:
        return 0;
    case OUTPUT_FILE_MOVED:
        return open_again(plain, error);
    case OUTPUT_FILE_UNSEEN:
        break;
    }
    return -1;
}

/* --- checks between blocks -------------------------------------------------------------------- */

/* Returns the state of the file. If it cannot be examined, returns the last known state. */
static enum output_file_state see(const struct plain_file *plain)
{
    struct error error;
    enum output_file_state state =
        output_file_look(plain->output.file, plain->output.options.path, &error);
    if (state != OUTPUT_FILE_UNSEEN)
        return state;
    return plain->moved_ns == 0 ? OUTPUT_FILE_IN_PLACE : OUTPUT_FILE_MOVED;
}

/*
 * Reports a move when it is time to reopen: at once if the file was removed, because bytes written
 * to it are lost; otherwise after MOVED_NS, because SIGHUP may follow.
 */
static enum output_file_state file_look(struct plain_file *plain)
{
    const struct output_file *file = plain->output.file;
    enum output_file_state state = OUTPUT_FILE_IN_PLACE;
    if (output_file_is_regular(file))
        state = see(plain);
    if (state != OUTPUT_FILE_MOVED) {
        plain->moved_ns = 0;
        return state;
    }
    int64_t now = clock_monotonic_ns();
    if (plain->moved_ns == 0)
        plain->moved_ns = now;
    return output_file_is_removed(file) || now - plain->moved_ns >= MOVED_NS ? OUTPUT_FILE_MOVED
                                                                             : OUTPUT_FILE_IN_PLACE;
}

static bool was_moved(struct destination *destination)
{
    return file_look(file_of(destination)) != OUTPUT_FILE_IN_PLACE;
}

static void log_cut(const struct destination_options *options,
                    const struct output_file_start *start)
{
    const char *record = options->settings->encoder->binary ? "record" : "line";
    if (start->torn == TORN_LINE_NONE)
        log_about(LOG_WARNING, LOG_OF_SINK, options->name, "it was truncated between two %ss",
                  record);
    else
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "it was truncated within a %s; the remaining %" PRIu64 " bytes of it were %s",
                  record, start->torn_size,
                  start->torn == TORN_LINE_CUT ? "removed" : "ended with a newline");
}

static void go_on_with_cut(struct plain_file *plain)
{
    const struct destination_options *options = &plain->output.options;
    struct output_file_start start;
    char name[FORMAT_NAME_SIZE];
    struct output_file_format format = format_of(options, name);
    struct error error;
    format.opened = true;
    if (output_file_mend(plain->output.file, options->path, &format, &start, &error) != 0)
        log_about(LOG_ERROR, LOG_OF_SINK, options->name,
                  "it was truncated, and its end cannot be repaired: %s", error.text);
    else if (output_file_at_beginning(plain->output.file))
        log_about(LOG_INFO, LOG_OF_SINK, options->name,
                  "it was emptied; starting from the beginning");
    else
        log_cut(options, &start);
}

static void open_astray(struct plain_file *plain)
{
    const struct destination_options *options = &plain->output.options;
    struct error error;
    if (open_again(plain, &error) == 0) {
        log_about(LOG_WARNING, LOG_OF_SINK, options->name,
                  "it was moved or removed; opened a new file");
    } else if (!plain->moved) {
        plain->moved = true;
        log_about(LOG_ERROR, LOG_OF_SINK, options->name,
                  "it was moved or removed; continuing with the old file: %s", error.text);
    }
}

static void file_prepare(struct destination *destination)
{
    struct plain_file *plain = file_of(destination);
    switch (file_look(plain)) {
    case OUTPUT_FILE_IN_PLACE:
    case OUTPUT_FILE_UNSEEN:
        break;
    case OUTPUT_FILE_CUT:
        go_on_with_cut(plain);
        break;
    case OUTPUT_FILE_MOVED:
        open_astray(plain);
        break;
    }
}

static enum write_result file_write(struct destination *destination, const void *bytes, size_t size,
                                    size_t *written, struct error *error)
{
    struct plain_file *plain = file_of(destination);
    const struct destination_options *options = &plain->output.options;
    if (output_file_is_regular(plain->output.file) &&
        !disk_room_has(&plain->room, &options->reserve, options->path, error))
        return WRITE_FAILED;
    plain->unsynced = true;
    return output_destination_write(destination, bytes, size, written, error);
}

/* Does nothing for a regular file: its end is repaired when it is opened again. */
static void leave_torn(struct destination *destination)
{
    if (!output_file_is_regular(file_of(destination)->output.file))
        output_destination_leave_torn(destination);
}

static int64_t file_due(const struct destination *destination)
{
    const struct plain_file *plain = (const struct plain_file *)destination;
    const struct destination_options *options = &plain->output.options;
    if (options->settings->file.sync != SYNC_INTERVAL || !plain->unsynced)
        return INT64_MAX;
    return plain->synced_ns + file_sync_interval(options);
}

static void file_tick(struct destination *destination)
{
    sync_now(file_of(destination));
}

/* --- making a destination --------------------------------------------------------------------- */

static const struct stream_ops plain_stream = {
    .prepare = file_prepare,
    .was_moved = was_moved,
    .write = file_write,
    .cancel = output_destination_cancel,
    .handle = output_destination_handle,
    .roll_back = output_destination_roll_back,
    .leave_torn = leave_torn,
    .at_beginning = output_destination_at_beginning,
    .is_watched = output_destination_is_watched,
    .reopen = file_reopen,
    .due = file_due,
    .tick = file_tick,
};

static void file_destroy(struct destination *destination)
{
    if (file_of(destination)->output.file != NULL)
        sync_now(file_of(destination));
    output_destination_destroy(destination);
}

static void expand_plain(const struct path_template *path, char *text, size_t size)
{
    static const struct address nobody;
    const struct path_values none = {.source = &nobody};
    path_template_expand(path, &none, text, size);
}

static int create_plain(const struct path_template *path, const struct destination_options *options,
                        struct destination **out, struct error *error)
{
    struct plain_file *plain = calloc(1, sizeof *plain);
    if (plain == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "out of memory for a file");
        return -1;
    }
    output_destination_init(&plain->output, &plain_stream, file_destroy, options);
    expand_plain(path, plain->path, sizeof plain->path);
    plain->output.options.path = plain->path;
    if (plain_file_open(&plain->output, &plain->output.file, error) != 0) {
        file_destroy(&plain->output.destination);
        return -1;
    }
    *out = &plain->output.destination;
    return 0;
}

/*
 * Fails only if out of memory, because the configuration has checked the path. Then returns NULL.
 */
static struct path_template *parse_path(const struct destination_options *options)
{
    struct path_template *path;
    size_t wrong_at;
    const char *why;
    return path_template_parse(options->path, &path, &wrong_at, &why) ? path : NULL;
}

static int no_path(const struct destination_options *options, struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "out of memory for the path of %s", options->name);
    return -1;
}

/*
 * Checks that finished files can be renamed to the path. With fields there are too many paths to
 * check.
 */
static int check_replaceable(const struct path_template *path, struct error *error)
{
    char plain[PATH_TEMPLATE_SIZE];
    if (path_template_has_fields(path))
        return 0;
    expand_plain(path, plain, sizeof plain);
    return output_check_replaceable(plain, error);
}

static int file_create(const struct destination_options *options, struct destination **out,
                       struct error *error)
{
    struct path_template *path = parse_path(options);
    if (path == NULL)
        return no_path(options, error);
    if (file_set_is_asked_for(path, options)) {
        int result = check_replaceable(path, error);
        if (result == 0)
            result = file_set_create(path, options, out, error);
        if (result != 0)
            path_template_free(path);
        return result;
    }
    int result = create_plain(path, options, out, error);
    path_template_free(path);
    return result;
}

static bool file_shape(const struct destination_options *options, struct destination_shape *shape)
{
    struct path_template *path = parse_path(options);
    if (path == NULL)
        return false;
    *shape = file_set_is_asked_for(path, options) ? file_set_shape(path, options)
                                                  : (struct destination_shape){0};
    path_template_free(path);
    return true;
}

static int check_plain(const char *path, const struct destination_options *options,
                       struct error *error)
{
    struct output_file_start start;
    char name[FORMAT_NAME_SIZE];
    struct output_file_format format = format_of(options, name);
    format.opened = options->written;
    if (output_check_file(path, error) != 0 ||
        output_file_check_content(path, &format, &start, error) != 0)
        return -1;
    if (!options->written)
        log_start(options, &start);
    return 0;
}

static int file_check(const struct destination_options *options, struct error *error)
{
    char plain[PATH_TEMPLATE_SIZE];
    struct path_template *path = parse_path(options);
    if (path == NULL)
        return no_path(options, error);
    int result;
    if (file_set_is_asked_for(path, options)) {
        result = output_check_folder(path_template_base(path), error);
        if (result == 0)
            result = check_replaceable(path, error);
    } else {
        expand_plain(path, plain, sizeof plain);
        result = check_plain(plain, options, error);
    }
    path_template_free(path);
    return result;
}

const struct destination_ops destination_file = {
    .scheme = "file",
    .place_is = PLACE_FILES,
    .keys = DESTINATION_KEYS_FILE,
    .read_path = path_template_read,
    .names_meet = path_names_meet,
    .shape = file_shape,
    .check = file_check,
    .create = file_create,
};
