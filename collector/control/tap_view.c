#include "collector/control/tap_view.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/text/glob.h"

/* Size in bytes of the buffer for a record's lines, the same as the limit of a sink. */
#define TEXT_SIZE ((size_t)1024 * 1024)

/*
 * The maximum number of steps for matching a record's names (collector/text/glob.h); they take a
 * few milliseconds. A record that needs more is not shown. Only a hostile sender makes such names.
 */
#define STEPS_MOST ((size_t)1 << 20)

struct tap_view {
    struct encoder *encoder;
    struct output text;   /* a record's lines */
    struct arena scratch; /* for names that the schema composes */
    size_t steps;         /* number of steps used for the current record */
};

struct tap_view *tap_view_create(const struct encoder_ops *encoder)
{
    struct tap_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return NULL;
    view->encoder = encoder->create(&(struct encoder_options){.view = VIEW_AUTO});
    view->text = (struct output){.data = malloc(TEXT_SIZE), .capacity = TEXT_SIZE};
    view->scratch =
        (struct arena){.base = malloc(ENCODER_SCRATCH_SIZE), .capacity = ENCODER_SCRATCH_SIZE};
    if (view->encoder == NULL || view->text.data == NULL || view->scratch.base == NULL) {
        tap_view_destroy(view);
        return NULL;
    }
    return view;
}

void tap_view_destroy(struct tap_view *view)
{
    if (view == NULL)
        return;
    if (view->encoder != NULL)
        view->encoder->ops->destroy(view->encoder);
    free(view->text.data);
    free(view->scratch.base);
    free(view);
}

size_t tap_view_memory(void)
{
    return sizeof(struct tap_view) + TEXT_SIZE + 2 * ENCODER_SCRATCH_SIZE + ENCODER_CACHE_SIZE;
}

static bool view_matches(struct tap_view *view, const struct tap_watcher *watcher,
                         const struct text *name)
{
    const struct text glob = {watcher->pattern, watcher->pattern_size};
    return glob_matches(&glob, name, &view->steps, STEPS_MOST);
}

struct walk {
    struct tap_view *view;
    const struct record *record;
    struct schema_cursor cursor;
};

static struct walk walk_begin(struct tap_view *view, const struct record *record)
{
    view->scratch.used = 0;
    view->scratch.exhausted = false;
    view->steps = 0;
    return (struct walk){.view = view, .record = record, .cursor = {.scratch = &view->scratch}};
}

static bool walk_next(struct walk *walk, const struct tap_watcher *watcher, bool *matching)
{
    const struct schema *schema = walk->record->schema;
    struct sample sample;
    if (!schema->ops->next_sample(schema, walk->record->message, &walk->cursor, &sample))
        return false;
    *matching = view_matches(walk->view, watcher, &sample.name);
    return true;
}

static bool any_matches(struct tap_view *view, const struct tap_watcher *watcher,
                        const struct record *record)
{
    const struct text schema = {record->schema->name, strlen(record->schema->name)};
    if (!record->schema->has_samples)
        return view_matches(view, watcher, &schema);
    struct walk walk = walk_begin(view, record);
    bool matching = false;
    while (!matching && walk_next(&walk, watcher, &matching)) {
    }
    return matching;
}

static bool show_line(struct tap_watcher *watcher, const char *line, size_t size,
                      struct output *out)
{
    if (watcher->lines_left == 0 || size > out->capacity - out->used)
        return false;
    output_bytes(out, line, size);
    watcher->lines_left--;
    return true;
}

/* Shows the lines whose samples match. Returns true if all these lines could be shown. */
static bool show_matching(struct tap_view *view, struct tap_watcher *watcher,
                          const struct record *record, struct output *out)
{
    const char *line = view->text.data;
    const char *end = line + view->text.used;
    if (!record->schema->has_samples)
        return show_line(watcher, line, view->text.used, out);
    struct walk walk = walk_begin(view, record);
    bool matching;
    bool all = true;
    while (line != end && walk_next(&walk, watcher, &matching)) {
        size_t size = (size_t)((const char *)memchr(line, '\n', (size_t)(end - line)) - line) + 1;
        if (matching && !show_line(watcher, line, size, out))
            all = false;
        line += size;
    }
    return all;
}

static bool show_record(struct tap_view *view, struct tap_watcher *watcher,
                        const struct listener *listener, const struct record *record,
                        struct output *out)
{
    const struct encoder_ops *ops = view->encoder->ops;
    if (watcher->lines_left == 0)
        return false;
    view->steps = 0;
    if (!any_matches(view, watcher, record))
        return view->steps <= STEPS_MOST;
    view->text.used = 0;
    view->text.overflow = false;
    ops->encode(view->encoder, listener, record, &view->text);
    return !view->text.overflow && show_matching(view, watcher, record, out);
}

void tap_view_show(struct tap_view *view, struct tap_watcher *watcher, const struct batch *batch,
                   struct output *out)
{
    for (const struct record *record = batch->first; record != NULL; record = record->next)
        if (!show_record(view, watcher, record->listener, record, out))
            watcher->left_out++;
}
