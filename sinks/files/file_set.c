#include "sinks/files/file_set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/compression.h"
#include "collector/contract/sender_name.h"
#include "collector/ledger/ledger.h"
#include "collector/log/log.h"
#include "collector/platform/clock.h"
#include "collector/platform/file_system.h"
#include "collector/platform/output_file.h"
#include "sinks/files/file_shape.h"
#include "sinks/files/file_table.h"

#define SECOND INT64_C(1000000000)

/* How long a file waits for late records after the time in its path is over. */
#define LATE_NS (2 * SECOND)

struct file_set {
    struct destination destination;
    struct destination_options options;
    struct disk_room room;
    struct path_template *path;
    struct file_makings makings;
    struct file_table *table;
    struct destination_shape shape;
    struct output frame; /* the compressed frame of a block */
    struct output head;  /* the head of each file as stored, which may be compressed */
    int64_t tick_ns;     /* monotonic: the next tick */
    bool vacating;       /* the next tick frees entries that have no file */
    int64_t retry_ns;    /* monotonic: when to try again to name the waiting files */
    struct log_limit log;
    struct path_values wanted; /* values of the last routed record */
    struct address wanted_source;
    char wanted_sender[SENDER_NAME_MAX + 1];
    size_t slot_count;
    struct table_file *slots[]; /* the files that may be open; NULL: free slot */
};

static struct file_set *of(struct destination *destination)
{
    return (struct file_set *)destination;
}

bool file_set_is_asked_for(const struct path_template *path,
                           const struct destination_options *options)
{
    const struct file_options *file = &options->settings->file;
    return file->rotate_size != 0 || file->rotate_interval != 0 || file->compression != NULL ||
           options->settings->encoder->arrange != NULL || path_template_has_fields(path);
}

struct destination_shape file_set_shape(const struct path_template *path,
                                        const struct destination_options *options)
{
    struct destination_shape shape = file_shape(path, options);
    shape.memory += sizeof(struct file_set) + file_shape_open(&shape) * sizeof(struct table_file *);
    return shape;
}

/* --- completing ------------------------------------------------------------------------------- */

static const char *part_name(const struct file_set *set, const struct live_file *file, char *name)
{
    return file_part_name(set->makings.path, file->path, file->number, name);
}

static bool close_another(struct file_set *set, const struct live_file *file)
{
    struct table_file *oldest = NULL;
    for (size_t i = 0; i < set->slot_count; i++) {
        struct table_file *other = set->slots[i];
        if (other != NULL && &other->live != file && other->live.part != NULL &&
            (oldest == NULL || other->last_use < oldest->last_use))
            oldest = other;
    }
    if (oldest == NULL)
        return false;
    live_file_put_aside(&oldest->live);
    return true;
}

/*
 * Completes the file. Returns false, with the file unchanged, if it can neither get its name nor
 * wait for it.
 */
static bool complete(struct file_set *set, struct live_file *file)
{
    struct error error;
    char name[FILE_NAME_SIZE];
    uint64_t held;
    if (live_file_complete(&set->makings, file, &error))
        return true;
    /*
     * A file that was closed in the meantime must be opened again, but the limit of open files may
     * be reached.
     */
    if (file->part == NULL && close_another(set, file) &&
        live_file_complete(&set->makings, file, &error))
        return true;
    counter_add(&set->options.counters->write_errors, 1);
    if (log_allowed(&set->log, &held))
        log_about(LOG_ERROR, LOG_OF_SINK, set->options.name, "%s is complete, but %s",
                  part_name(set, file, name), error.text);
    return false;
}

static void leave(struct file_set *set, struct live_file *file)
{
    char name[FILE_NAME_SIZE];
    log_about(LOG_ERROR, LOG_OF_SINK, set->options.name,
              "%s is left as it is; the next start completes it", part_name(set, file, name));
    counter_add(&set->options.counters->unnamed_files, 1);
    live_file_pass_by(file);
}

static void retry_names(struct file_set *set)
{
    counter_add(&set->options.counters->files, finished_files_retry(set->makings.finished));
}

static void retry_names_in_time(struct file_set *set)
{
    if (!finished_files_are_waiting(set->makings.finished))
        return;
    int64_t now = clock_monotonic_ns();
    if (now < set->retry_ns)
        return;
    set->retry_ns = now + LIVE_FILE_RETRY_NS;
    retry_names(set);
}

static void free_slot(struct file_set *set, const struct table_file *file)
{
    if (file->slot == NO_SLOT)
        return;
    RULE(set->slots[file->slot] == file, "the slot of a file is that file's");
    set->slots[file->slot] = NULL;
}

static size_t find_slot(const struct file_set *set)
{
    size_t oldest = 0;
    for (size_t i = 0; i < set->slot_count; i++) {
        if (set->slots[i] == NULL)
            return i;
        if (set->slots[i]->last_use < set->slots[oldest]->last_use)
            oldest = i;
    }
    return oldest;
}

/* If no slot is free, closes another file. */
static void take_slot(struct file_set *set, struct table_file *file)
{
    if (file->slot != NO_SLOT)
        return;
    size_t slot = find_slot(set);
    if (set->slots[slot] != NULL) {
        live_file_put_aside(&set->slots[slot]->live);
        set->slots[slot]->slot = NO_SLOT;
    }
    set->slots[slot] = file;
    file->slot = slot;
}

/*
 * Opens the file of an entry. If that fails for a reason that is not specific to the path, the
 * limit of open files may be reached: so it closes another file and tries again.
 */
static bool open_entry(struct file_set *set, struct table_file *file, struct error *error)
{
    struct error ignored;
    take_slot(set, file);
    if (live_file_open(&set->makings, &file->live, error))
        return true;
    return !file->live.refused && close_another(set, &file->live) &&
           live_file_open(&set->makings, &file->live, &ignored);
}

static void retire(struct file_set *set, struct table_file *file)
{
    if (!complete(set, &file->live))
        leave(set, &file->live);
    free_slot(set, file);
    file_table_free(set->table, file);
}

static bool interval_is_over(const struct file_set *set, const struct live_file *file,
                             int64_t now_ns)
{
    int64_t interval = (int64_t)set->options.settings->file.rotate_interval;
    return interval != 0 && live_file_is_begun(file) &&
           now_ns / interval != file->opened_ns / interval;
}

/* --- finding a record's file ------------------------------------------------------------------ */

static struct table_file *find_file(struct file_set *set)
{
    bool full;
    struct table_file *file = file_table_find(set->table, &set->wanted, &full);
    if (file != NULL && file->other)
        counter_add(&set->options.counters->to_other_file, 1);
    return file;
}

static struct file_set_route route(struct destination *destination, const struct listener *listener,
                                   const struct record *record)
{
    struct file_set *set = of(destination);
    set->wanted_source = record->source;
    strcpy(set->wanted_sender, record->sender == NULL ? "" : record->sender);
    set->wanted = (struct path_values){
        .time_ns = record->received_ns,
        .source = &set->wanted_source,
        .listener = listener->name,
        .schema = record->schema == NULL ? NULL : record->schema->name,
        .sender = set->wanted_sender,
    };
    int64_t newest = file_table_newest_step(set->table);
    const struct table_file *file = find_file(set);
    bool taken = file == NULL;
    if (taken)
        file = file_table_over(set->table);
    return (struct file_set_route){.block = file_table_number(set->table, file),
                                   .taken = taken,
                                   .later = file_table_newest_step(set->table) > newest};
}

/*
 * Completes the block's file, because the time in its path is over and another file needs its
 * entry.
 */
static void take_over(struct destination *destination, size_t block)
{
    struct file_set *set = of(destination);
    retire(set, file_table_get(set->table, block));
    const struct table_file *file = find_file(set);
    RULE(file != NULL && file_table_number(set->table, file) == block,
         "a new file gets the number that was freed last");
}

/* --- writing ---------------------------------------------------------------------------------- */

/*
 * Makes the bytes to append for the block: its compressed frame, or the block itself if there is no
 * compression.
 */
static bool make_frame(struct file_set *set, const void *bytes, size_t size, const void **frame,
                       size_t *frame_size, struct error *error)
{
    struct compression *compression = set->makings.content.compression;
    *frame = bytes;
    *frame_size = size;
    if (compression == NULL)
        return true;
    *frame = set->frame.data;
    *frame_size =
        compression->ops->compress(compression, bytes, size, set->frame.data, set->frame.capacity);
    if (*frame_size == 0)
        error_set(error, EXIT_CODE_INTERNAL, "cannot compress");
    return *frame_size != 0;
}

/*
 * Returns true if the file has records and would be too large with `more` bytes. If a file is one
 * block, it is full once it has records.
 */
static bool is_full(const struct file_set *set, const struct live_file *file, size_t more)
{
    uint64_t limit = set->shape.arranged ? 1 : set->options.settings->file.rotate_size;
    return limit != 0 && file->size > set->head.used && file->size + more > limit;
}

static bool append(struct file_set *set, struct live_file *file, const void *bytes, size_t size,
                   struct error *error)
{
    if (file->size == 0 && set->head.used != 0 &&
        !live_file_append(file, set->head.data, set->head.used, error))
        return false;
    return live_file_append(file, bytes, size, error);
}

/* Completes a full file. If that fails, the file continues to grow, unless it must be one block. */
static bool begin_next(struct file_set *set, struct live_file *file, struct error *error)
{
    if (!complete(set, file)) {
        if (!set->shape.arranged)
            return true;
        leave(set, file);
    }
    return live_file_open(&set->makings, file, error);
}

/*
 * Returns true if completing the file failed a moment ago and it is too early to try again. A file
 * that must be one block is always tried again, because it must not grow.
 */
static bool waits_to_retry(const struct file_set *set, const struct live_file *file)
{
    return !set->shape.arranged && file->retry_at_ns != 0 &&
           clock_monotonic_ns() < file->retry_at_ns;
}

/*
 * Returns the result for a block whose file cannot be opened. If only this path of several is
 * refused, its records are lost, and the other files continue.
 */
static enum write_result not_opened(struct file_set *set, const struct live_file *file,
                                    const struct error *error)
{
    uint64_t held;
    if (!file->refused || !path_template_has_fields(set->path))
        return WRITE_FAILED;
    if (log_allowed(&set->log, &held))
        log_about(LOG_ERROR, LOG_OF_SINK, set->options.name, "%s; records for this file are lost",
                  error->text);
    return WRITE_CLOSED;
}

static enum write_result write_block(struct destination *destination, size_t block,
                                     const void *bytes, size_t size, struct error *error)
{
    struct file_set *set = of(destination);
    struct table_file *entry = file_table_get(set->table, block);
    struct live_file *file = &entry->live;
    const void *frame;
    size_t frame_size;
    retry_names_in_time(set);
    if (!disk_room_has(&set->room, &set->options.reserve, path_template_base(set->path), error))
        return WRITE_FAILED;
    bool waits = waits_to_retry(set, file);
    if (!waits && interval_is_over(set, file, clock_wall_ns()))
        complete(set, file);
    if (!open_entry(set, entry, error))
        return not_opened(set, file, error);
    if (!make_frame(set, bytes, size, &frame, &frame_size, error))
        return WRITE_FAILED;
    if (!waits && is_full(set, file, frame_size) && !begin_next(set, file, error))
        return not_opened(set, file, error);
    if (!append(set, file, frame, frame_size, error))
        return WRITE_FAILED;
    if (set->shape.arranged)
        complete(set, file);
    return WRITE_OK;
}

/* --- time ------------------------------------------------------------------------------------- */

/*
 * Returns true if the file's interval is over, or if the time in its path is over and it got no
 * record since the last tick.
 */
static bool is_due(const struct file_set *set, const struct table_file *file, int64_t now_ns)
{
    if (interval_is_over(set, &file->live, now_ns))
        return true;
    return path_template_has_time(set->path) && file->seen_use == file->last_use &&
           file->step < path_template_step(set->path, now_ns - LATE_NS);
}

static int64_t due(const struct destination *destination)
{
    const struct file_set *set = (const struct file_set *)destination;
    bool retry = set->retry_ns < set->tick_ns && finished_files_are_waiting(set->makings.finished);
    return retry ? set->retry_ns : set->tick_ns;
}

/* Files are checked every second, and at the beginning of each interval. */
static void set_next_tick(struct file_set *set, int64_t now_ns)
{
    const struct file_options *options = &set->options.settings->file;
    if (options->rotate_interval == 0 && options->sync != SYNC_INTERVAL &&
        options->keep_time == 0 && !path_template_has_time(set->path)) {
        set->tick_ns = INT64_MAX;
        return;
    }
    int64_t interval = (int64_t)options->rotate_interval;
    int64_t wait = SECOND;
    if (interval != 0 && interval - now_ns % interval < wait)
        wait = interval - now_ns % interval;
    set->tick_ns = clock_monotonic_ns() + wait;
}

static void sync_file(struct file_set *set, struct live_file *file)
{
    struct error error;
    if (live_file_sync(&set->makings, file, &error))
        return;
    counter_add(&set->options.counters->write_errors, 1);
    log_about(LOG_ERROR, LOG_OF_SINK, set->options.name, "%s", error.text);
}

static bool tick(struct destination *destination)
{
    struct file_set *set = of(destination);
    int64_t now_ns = clock_wall_ns();
    bool any = set->vacating;
    retry_names_in_time(set);
    if (clock_monotonic_ns() < set->tick_ns)
        return false;
    set_next_tick(set, now_ns);
    finished_files_expire(set->makings.finished, now_ns);
    for (struct table_file *file = NULL; (file = file_table_next(set->table, file)) != NULL;) {
        any = any || is_due(set, file, now_ns);
        if (set->options.settings->file.sync == SYNC_INTERVAL)
            sync_file(set, &file->live);
    }
    if (!any)
        for (struct table_file *file = NULL; (file = file_table_next(set->table, file)) != NULL;)
            file->seen_use = file->last_use;
    return any;
}

/*
 * Completes the files that are due, or, with `all`, all files. Entries can be freed only if no
 * block has records (`empty`). Otherwise the next tick, which is due at once, frees the entries
 * without a file.
 */
static void rotate(struct destination *destination, bool all, bool empty)
{
    struct file_set *set = of(destination);
    int64_t now_ns = clock_wall_ns();
    bool fields = path_template_has_fields(set->path);
    for (struct table_file *file = NULL; (file = file_table_next(set->table, file)) != NULL;) {
        bool idle = set->vacating && !live_file_is_begun(&file->live);
        if (!all && !idle && !is_due(set, file, now_ns))
            continue;
        if (fields && empty)
            retire(set, file);
        else
            complete(set, &file->live);
    }
    set->vacating = fields && !empty;
    if (set->vacating)
        set->tick_ns = 0;
    retry_names(set);
}

static void finish(struct destination *destination)
{
    struct file_set *set = of(destination);
    if (set->table == NULL || set->makings.finished == NULL)
        return;
    struct table_file *file;
    for (file = NULL; (file = file_table_next(set->table, file)) != NULL;)
        if (file->live.part != NULL) /* first, to free descriptors for the others */
            retire(set, file);
    for (file = NULL; (file = file_table_next(set->table, file)) != NULL;)
        retire(set, file);
    size_t unnamed;
    counter_add(&set->options.counters->files, finished_files_end(set->makings.finished, &unnamed));
    counter_add(&set->options.counters->unnamed_files, unnamed);
}

/* --- making a file set ------------------------------------------------------------------------ */

static const struct file_set_ops file_set_ops = {
    .route = route,
    .take_over = take_over,
    .write = write_block,
    .due = due,
    .tick = tick,
    .rotate = rotate,
    .finish = finish,
};

/* The operations for a path without fields, which has a single file. */
static const struct file_set_ops single_file_ops = {
    .write = write_block,
    .due = due,
    .tick = tick,
    .rotate = rotate,
    .finish = finish,
};

static void destroy(struct destination *destination)
{
    struct file_set *set = of(destination);
    struct compression *compression = set->makings.content.compression;
    finish(destination); /* completes the files if the sink was never started */
    file_table_destroy(set->table);
    finished_files_destroy(set->makings.finished);
    if (compression != NULL)
        compression->ops->destroy(compression);
    path_template_free(set->path);
    free(set->frame.data);
    free(set->head.data);
    free(set);
}

static bool make_parts(struct file_set *set)
{
    const struct destination_options *options = &set->options;
    struct file_makings *makings = &set->makings;
    const struct compression_ops *compression = options->settings->file.compression;
    size_t paths = file_shape_paths(set->path, &options->settings->file);
    set->table = file_table_create(set->path, paths);
    makings->finished = finished_files_create(set->path, &options->settings->file, paths,
                                              &options->counters->renames_blocked);
    if (set->table == NULL || makings->finished == NULL)
        return false;
    if (compression != NULL) {
        makings->content.compression = compression->create();
        set->frame.capacity = file_shape_frame_room(&set->shape, compression);
        set->frame.data = malloc(set->frame.capacity);
        if (makings->content.compression == NULL || set->frame.data == NULL)
            return false;
    }
    return true;
}

static bool make_head(struct file_set *set)
{
    const struct destination_options *options = &set->options;
    const void *frame;
    size_t size;
    struct error error;
    if (options->head_size == 0)
        return true;
    if (!make_frame(set, options->head, options->head_size, &frame, &size, &error))
        return false;
    set->head = (struct output){.data = malloc(size), .capacity = size};
    if (set->head.data == NULL)
        return false;
    output_bytes(&set->head, frame, size);
    set->makings.content.head_size = size;
    return true;
}

/*
 * The single file of a path without fields is opened at once, so that errors are found at the
 * start.
 */
static bool open_single(struct file_set *set, struct error *error)
{
    static const struct address nobody;
    struct path_values none = {.source = &nobody};
    bool full;
    struct table_file *file = file_table_find(set->table, &none, &full);
    RULE(file_table_number(set->table, file) == 0, "a single file has the only block");
    return open_entry(set, file, error);
}

static bool open_base(const struct file_set *set, struct error *error)
{
    struct folder *folder = folder_open(path_template_base(set->path));
    folder_close(folder);
    if (folder == NULL && output_check_folder(path_template_base(set->path), error) == 0)
        error_set(error, EXIT_CODE_CANNOT_CREATE, "cannot read the folder %s",
                  path_template_base(set->path));
    return folder != NULL;
}

int file_set_create(struct path_template *path, const struct destination_options *options,
                    struct destination **out, struct error *error)
{
    struct destination_shape shape = file_set_shape(path, options);
    size_t slots = file_shape_open(&shape);
    struct file_set *set = calloc(1, sizeof *set + slots * sizeof(struct table_file *));
    error_set(error, EXIT_CODE_INTERNAL, "no memory for files");
    if (set == NULL)
        return -1;
    bool fields = path_template_has_fields(path);
    set->destination = (struct destination){.file_set = fields ? &file_set_ops : &single_file_ops,
                                            .destroy = destroy};
    set->options = *options;
    set->shape = shape;
    set->slot_count = slots;
    set->path = path;
    set->makings = (struct file_makings){
        .content = {.name = options->name,
                    .encoder = options->settings->encoder,
                    .sync = options->settings->file.sync},
        .path = path,
        .files = &options->counters->files,
        .mode = (unsigned)options->settings->file.mode,
    };
    if (make_parts(set) && make_head(set) && open_base(set, error)) {
        left_files_finish(&set->makings.content, path, set->makings.finished);
        if (fields || open_single(set, error)) {
            set_next_tick(set, clock_wall_ns());
            *out = &set->destination;
            return 0;
        }
    }
    set->path = NULL; /* on failure the path belongs to the caller */
    destroy(&set->destination);
    return -1;
}
