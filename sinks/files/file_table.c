#include "sinks/files/file_table.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/contract/sender_name.h"
#include "collector/platform/file_system.h"

/* Number of entries for "other" files: for the current and the previous time in the path. */
#define OTHERS 2

struct file_table {
    const struct path_template *path;
    size_t most;     /* maximum number of entries without those of "other" files */
    size_t count;    /* number of those entries that are used */
    size_t capacity; /* number of all entries */
    size_t chains;   /* number of hash chains, a power of two */
    struct table_file **heads;
    struct table_file *unused;
    uint64_t uses;
    int64_t newest_step;
    int64_t oldest_step; /* minimum of the entries' steps, or lower after an entry was freed */

    /* The last search and its result: most records go to the same file as the record before. */
    struct table_file *last;
    struct path_values last_values;
    struct address last_source;
    char last_sender[SENDER_NAME_MAX + 1];
    int64_t last_step;

    struct table_file files[];
};

static size_t chains_for(size_t capacity)
{
    size_t chains = 1;
    while (chains < capacity)
        chains *= 2;
    return chains;
}

size_t file_table_capacity(size_t most)
{
    return most + OTHERS;
}

size_t file_table_memory(size_t most)
{
    size_t capacity = file_table_capacity(most);
    return sizeof(struct file_table) + capacity * sizeof(struct table_file) +
           chains_for(capacity) * sizeof(struct table_file *);
}

struct file_table *file_table_create(const struct path_template *path, size_t most)
{
    size_t capacity = file_table_capacity(most);
    struct file_table *table = calloc(1, sizeof *table + capacity * sizeof table->files[0]);
    if (table == NULL)
        return NULL;
    table->path = path;
    table->most = most;
    table->capacity = capacity;
    table->chains = chains_for(capacity);
    table->newest_step = INT64_MIN;
    table->oldest_step = INT64_MAX;
    for (size_t i = capacity; i > 0; i--) {
        table->files[i - 1].next = table->unused;
        table->unused = &table->files[i - 1];
    }
    table->heads = calloc(table->chains, sizeof(struct table_file *));
    if (table->heads == NULL) {
        free(table);
        return NULL;
    }
    return table;
}

void file_table_destroy(struct file_table *table)
{
    if (table == NULL)
        return;
    free(table->heads);
    free(table);
}

size_t file_table_number(const struct file_table *table, const struct table_file *file)
{
    return (size_t)(file - table->files);
}

struct table_file *file_table_get(struct file_table *table, size_t number)
{
    RULE(number < table->capacity && table->files[number].used, "a number is of an entry in use");
    return &table->files[number];
}

/* --- finding a file by its path --------------------------------------------------------------- */

/* Senders may choose paths that collide. A chain has at most max_files entries. */
static struct table_file **chain_of(struct file_table *table, const char *path)
{
    uint64_t hash = file_path_hash(path);
    return &table->heads[(hash ^ hash >> 32) & (table->chains - 1)];
}

static struct table_file *look_up(struct file_table *table, const char *path)
{
    struct table_file *file = *chain_of(table, path);
    while (file != NULL && !file_path_same(file->live.path, path))
        file = file->next;
    return file;
}

static struct table_file *file_table_add(struct file_table *table, const char *path, int64_t step,
                                         bool other)
{
    struct table_file *file = table->unused;
    if (file == NULL)
        return NULL;
    RULE(!file->used, "a free entry is not in use");
    table->unused = file->next;
    *file = (struct table_file){.used = true, .other = other, .slot = NO_SLOT, .step = step};
    memcpy(file->live.path, path, strlen(path) + 1);
    struct table_file **chain = chain_of(table, path);
    file->next = *chain;
    *chain = file;
    table->count += !other;
    RULE(table->count <= table->most, "different paths are limited");
    if (step < table->oldest_step)
        table->oldest_step = step;
    return file;
}

/* --- finding ---------------------------------------------------------------------------------- */

static bool is_as_before(const struct file_table *table, const struct path_values *values,
                         int64_t step)
{
    if (table->last == NULL || step != table->last_step)
        return false;
    return !path_template_has_values(table->path) ||
           (values->listener == table->last_values.listener &&
            values->schema == table->last_values.schema &&
            address_same_host(values->source, &table->last_source) &&
            strcmp(values->sender == NULL ? "" : values->sender, table->last_sender) == 0);
}

static struct table_file *find(struct file_table *table, const struct path_values *values,
                               int64_t step, bool *full)
{
    char path[PATH_TEMPLATE_SIZE];
    path_template_expand(table->path, values, path, sizeof path);
    struct table_file *file = look_up(table, path);
    if (file == NULL && table->count < table->most)
        file = file_table_add(table, path, step, false);
    if (file == NULL) {
        /*
         * If a file whose time is over can be completed, that makes room. Otherwise the record goes
         * to the "other" file.
         */
        const struct table_file *over = file_table_over(table);
        *full = over != NULL && !over->other;
        if (*full)
            return NULL;
        path_template_expand_other(table->path, values->time_ns, path, sizeof path);
        file = look_up(table, path);
        if (file == NULL)
            file = file_table_add(table, path, step, true);
        *full = file == NULL;
    }
    /* A path can occur again at a later time: with "%H", each day. */
    if (file != NULL && file->step < step)
        file->step = step;
    return file;
}

struct table_file *file_table_find(struct file_table *table, const struct path_values *values,
                                   bool *full)
{
    int64_t step = path_template_step(table->path, values->time_ns);
    struct table_file *file = table->last;
    *full = false;
    if (step > table->newest_step)
        table->newest_step = step;
    if (!is_as_before(table, values, step)) {
        file = find(table, values, step, full);
        table->last = file;
        table->last_values = *values;
        table->last_source = *values->source;
        strcpy(table->last_sender, values->sender == NULL ? "" : values->sender);
        table->last_step = step;
    }
    if (file != NULL)
        file->last_use = ++table->uses;
    return file;
}

/* --- giving up -------------------------------------------------------------------------------- */

int64_t file_table_newest_step(const struct file_table *table)
{
    return table->newest_step;
}

bool file_table_is_over(const struct file_table *table, const struct table_file *file)
{
    return file->step < table->newest_step;
}

static bool goes_before(const struct table_file *a, const struct table_file *b)
{
    if (a->other != b->other)
        return b->other;
    return a->last_use < b->last_use;
}

/* Searches only if the time of some entry may be over. */
struct table_file *file_table_over(struct file_table *table)
{
    struct table_file *found = NULL;
    if (table->oldest_step >= table->newest_step)
        return NULL;
    table->oldest_step = INT64_MAX;
    for (struct table_file *file = NULL; (file = file_table_next(table, file)) != NULL;) {
        if (file->step < table->oldest_step)
            table->oldest_step = file->step;
        if (file_table_is_over(table, file) && (found == NULL || goes_before(file, found)))
            found = file;
    }
    return found;
}

void file_table_free(struct file_table *table, struct table_file *file)
{
    struct table_file **link = chain_of(table, file->live.path);
    RULE(file->used, "an entry is freed once");
    while (*link != file) {
        RULE(*link != NULL, "an entry in use is in its chain");
        link = &(*link)->next;
    }
    *link = file->next;
    RULE(file->other || table->count != 0, "entries that are freed were counted");
    table->count -= !file->other;
    file->used = false;
    file->next = table->unused;
    table->unused = file;
    table->last = NULL;
}

struct table_file *file_table_next(struct file_table *table, struct table_file *file)
{
    for (size_t i = file == NULL ? 0 : (size_t)(file - table->files) + 1; i < table->capacity; i++)
        if (table->files[i].used)
            return &table->files[i];
    return NULL;
}
