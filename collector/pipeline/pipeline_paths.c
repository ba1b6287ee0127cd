/*
 * Finds parts of a configuration that use the same file by different names. The parser has already
 * refused sinks with equal texts; here the paths are resolved to files.
 */
#include "collector/pipeline/pipeline_paths.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/config.h"
#include "collector/config/key_table.h"
#include "collector/config/provenance.h"
#include "collector/contract/source.h"
#include "collector/platform/file_system.h"
#include "collector/text/text.h"

/*
 * A file or folder that a part of the configuration uses. Two parts may use the same file if both
 * only read it.
 */
struct used_path {
    const char *name; /* name of the sink, listener or option, for messages */
    const char *key;  /* the key whose value is the path, for messages; else NULL */
    const char *path;
    const struct sink_config *sink; /* for a file sink, whose path may contain fields; else NULL */
    const char *written_at;         /* place in the configuration file; NULL if not known */
    bool only_read;
    bool is_schema; /* a .proto file, or a folder that is searched for them recursively */
    bool is_found;  /* `place` is filled: the path has no fields, and its folder exists */
    struct file_location place;
};

#define PATH_SIZE 4096

static const char standard_output[] = "standard output";

struct used_paths {
    struct used_path *all;
    size_t count, room;
};

/*
 * Finds the file that the path names. If the path is only read, does not find a pipe or a device:
 * these may be read and written at once, for example by "--config /dev/stdin" on the terminal that
 * is standard output.
 */
static bool find_place(const struct used_path *used, struct file_location *place)
{
    return used->only_read ? file_location_find(used->path, place)
                           : file_location_find_any(used->path, place);
}

static void paths_add(struct used_paths *paths, const struct used_path *used)
{
    RULE(paths->count < paths->room, "every part has room for its paths");
    struct used_path *added = &paths->all[paths->count++];
    *added = *used;
    added->is_found =
        (used->sink == NULL || strchr(used->path, '%') == NULL) && find_place(used, &added->place);
}

/* --- files that are only read ----------------------------------------------------------------- */

static void paths_add_read(struct used_paths *paths, const char *name, const char *key,
                           const char *path, const char *written_at)
{
    if (path != NULL)
        paths_add(paths,
                  &(struct used_path){.name = name,
                                      .key = key,
                                      .path = path,
                                      .written_at = written_at,
                                      .only_read = true,
                                      .is_schema = key != NULL && strcmp(key, "schema") == 0});
}

/*
 * Returns true if the value of the key is the path of a file that is read: such keys have the
 * syntax "FILE".
 */
static bool names_file(const struct setting *key, unsigned scopes)
{
    return (key->scopes & scopes) != 0 && key->type == SETTING_TEXT && key->syntax != NULL &&
           strcmp(key->syntax, "FILE") == 0;
}

static size_t count_file_keys(unsigned scopes)
{
    size_t count = 0;
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        count += names_file(key, scopes);
    return count;
}

static void paths_add_keys(struct used_paths *paths, const char *name, const char *written_at,
                           const void *part, unsigned scopes)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        const char *path;
        if (!names_file(key, scopes))
            continue;
        memcpy(&path, (const char *)part + key->offset, sizeof path);
        paths_add_read(paths, name, key->name, path, written_at);
    }
}

static void paths_add_listener(struct used_paths *paths, const struct listener_config *listener)
{
    if ((listener->source->keys & SOURCE_KEYS_CAPTURE) != 0)
        paths_add_read(paths, listener->name, NULL, listener->place, listener->written_at);
    paths_add_keys(paths, listener->name, listener->written_at, listener, KEY_OF_ANY_LISTENER);
    for (size_t i = 0; i < listener->schema_count; i++)
        if (listener->schemas[i].from_file)
            paths_add_read(paths, listener->name, "schema", listener->schemas[i].source,
                           listener->written_at);
}

static void paths_add_all_read(struct used_paths *paths, const struct config *config)
{
    for (size_t i = 0; config->provenance != NULL && i < config->provenance->file_count; i++)
        paths_add_read(paths, "--config", NULL, config->provenance->files[i], NULL);
    if (config->access.metrics_token_file != NULL)
        paths_add_read(paths, "--metrics-token-file", NULL, config->access.metrics_token_file,
                       NULL);
    for (size_t i = 0; i < config->listener_count; i++)
        paths_add_listener(paths, &config->listeners[i]);
    for (size_t i = 0; i < config->sink_count; i++)
        paths_add_keys(paths, config->sinks[i].name, config->sinks[i].written_at, &config->sinks[i],
                       KEY_OF_ANY_SINK);
}

static size_t room_for_all(const struct config *config)
{
    size_t room = config->provenance != NULL ? config->provenance->file_count : 0;
    room += config->listener_count * (2 + count_file_keys(KEY_OF_ANY_LISTENER));
    for (size_t i = 0; i < config->listener_count; i++)
        room += config->listeners[i].schema_count;
    room += config->sink_count * (2 + count_file_keys(KEY_OF_ANY_SINK));
    return room + 4; /* + 4 for the paths of dead letters, of the sockets of --control and
                      * --metrics, and of the token's file */
}

/*
 * Returns true if no listener before this one has the same state file. Listeners with the same keys
 * share the file.
 */
static bool has_state_of_its_own(const struct config *config, size_t index)
{
    const char *path = config->listeners[index].seal_state;
    for (size_t i = 0; path != NULL && i < index; i++)
        if (same_text(config->listeners[i].seal_state, path))
            return false;
    return path != NULL;
}

/* --- files that are written ------------------------------------------------------------------- */

static void paths_add_stdout(struct used_paths *paths, const struct used_path *used)
{
    struct used_path *added = &paths->all[paths->count];
    RULE(paths->count < paths->room, "every part has room for its paths");
    *added = *used;
    added->path = standard_output;
    added->is_found = file_location_of_stdout(&added->place);
    paths->count += added->is_found;
}

static void paths_add_sink(struct used_paths *paths, const struct sink_config *sink)
{
    struct used_path used = {
        .name = sink->name, .path = sink->path, .written_at = sink->written_at};
    if (sink->destination->is_standard_output)
        paths_add_stdout(paths, &used);
    if (sink->destination->place_is == PLACE_FILES) {
        used.sink = sink;
        paths_add(paths, &used);
        used.sink = NULL;
    }
    used.path = sink->settings.delivery.spill;
    if (used.path != NULL)
        paths_add(paths, &used);
}

/* --- comparing -------------------------------------------------------------------------------- */

/* Returns true if `written` is a .proto file in the folder of the schema `read`, or below it. */
static bool is_part_of_schema(const struct used_path *read, const struct used_path *written)
{
    static const char suffix[] = ".proto";
    char folders[2][PATH_SIZE];
    struct file_location place;
    size_t length = strlen(written->path);
    if (!read->is_schema || written->only_read || length < sizeof suffix ||
        strcmp(written->path + length - (sizeof suffix - 1), suffix) != 0)
        return false;
    const char *below = written->path;
    for (unsigned i = 0;; i = 1 - i) {
        if (!file_path_copy_folder(below, folders[i], sizeof folders[i]) ||
            strcmp(below, folders[i]) == 0)
            return false;
        if (file_location_find(folders[i], &place) && file_location_same(&place, &read->place))
            return true;
        below = folders[i];
    }
}

/* Returns true if both are the same file and at least one of them writes to it. */
static bool paths_are_same(const struct used_path *a, const struct used_path *b)
{
    if (a->only_read && b->only_read)
        return false;
    return (a->is_found && b->is_found && file_location_same(&a->place, &b->place)) ||
           is_part_of_schema(a, b);
}

/*
 * Splits a path, which may have fields, into the folder that contains all its files and the rest of
 * the path, *names. Returns false if the path is too long.
 */
static bool split_path(const struct used_path *used, char folder[PATH_SIZE], const char **names)
{
    char begin[PATH_SIZE];
    size_t length = used->sink != NULL ? strcspn(used->path, "%") : strlen(used->path);
    if (length >= sizeof begin)
        return false;
    memcpy(begin, used->path, length);
    begin[length] = '\0';
    *names = used->path + (file_path_name(begin) - begin);
    return file_path_copy_folder(begin, folder, PATH_SIZE);
}

static size_t count_levels(const char *names)
{
    size_t levels = 0;
    for (; *names != '\0'; names++)
        levels += *names == '/';
    return levels;
}

/*
 * Returns true if the two paths can name the same file, provided that their folders are the same.
 */
static bool names_meet(const struct used_path *a, const char *names_of_a, const struct used_path *b,
                       const char *names_of_b)
{
    const struct sink_config *sink = a->sink != NULL ? a->sink : b->sink;
    const struct used_names used[] = {
        {.text = names_of_a, .settings = a->sink != NULL ? &a->sink->settings : NULL},
        {.text = names_of_b, .settings = b->sink != NULL ? &b->sink->settings : NULL},
    };
    return sink->destination->names_meet != NULL && sink->destination->names_meet(used, used + 1);
}

static bool are_same_folder(const char *a, const char *b)
{
    struct file_location places[2];
    return file_location_find(a, &places[0]) && file_location_find(b, &places[1]) &&
           file_location_same(&places[0], &places[1]);
}

/*
 * Returns true if both paths can name the same file. The folder of `outer` must be the folder of
 * `inner` or contain it.
 */
static bool folders_meet(const struct used_path *outer, const struct used_path *inner)
{
    char folders[3][PATH_SIZE];
    const char *names[2];
    if (!split_path(outer, folders[2], &names[0]) || !split_path(inner, folders[0], &names[1]))
        return false;
    const char *const end = inner->path + (names[1] - inner->path);
    size_t levels = count_levels(names[0]);
    for (size_t i = 0; i <= levels; i++) {
        const char *here = folders[i % 2];
        if (names_meet(outer, names[0], inner, names[1]) && are_same_folder(folders[2], here))
            return true;
        names[1] = inner->path + (file_path_name(here) - here);
        if (names[1] >= end || !file_path_copy_folder(here, folders[1 - i % 2], PATH_SIZE))
            return false;
    }
    return false;
}

/*
 * Returns true if a sink with several file names can use the name of another file of the
 * configuration. Such a sink may rename and remove all files that match its names.
 */
static bool paths_may_meet(const struct used_path *a, const struct used_path *b)
{
    return (a->sink != NULL || b->sink != NULL) && a->path != standard_output &&
           b->path != standard_output && (folders_meet(a, b) || folders_meet(b, a));
}

static int refuse(const struct used_path *before, const struct used_path *used, struct error *error)
{
    const char *open = before->key != NULL ? " (" : "";
    const char *key = before->key != NULL ? before->key : "";
    const char *close = before->key != NULL ? "=)" : "";
    if (paths_are_same(before, used))
        error_set(error, EXIT_CODE_CONFIG, "%s%s%s%s and %s use the same file: %s is %s%s",
                  before->name, open, key, close, used->name, used->path,
                  is_part_of_schema(before, used) ? "in " : "", before->path);
    else
        error_set(
            error, EXIT_CODE_CONFIG,
            "%s%s%s%s and %s can use the same file, because a file name can match both %s and "
            "%s; choose another folder or other names",
            before->name, open, key, close, used->name, before->path, used->path);
    if (used->written_at != NULL)
        error_place(error, used->written_at);
    return -1;
}

static int compare_paths(const struct used_paths *paths, struct error *error)
{
    for (size_t i = 0; i < paths->count; i++)
        for (size_t k = 0; k < i; k++)
            if (paths_are_same(&paths->all[k], &paths->all[i]) ||
                paths_may_meet(&paths->all[k], &paths->all[i]))
                return refuse(&paths->all[k], &paths->all[i], error);
    return 0;
}

/* --- the whole configuration ------------------------------------------------------------------ */

static void paths_add_sockets(struct used_paths *paths, const struct config_access *access)
{
    static const char unix_scheme[] = "unix:";
    const size_t scheme_size = sizeof unix_scheme - 1;
    if (access->control != NULL && strncmp(access->control, unix_scheme, scheme_size) == 0)
        paths_add(paths,
                  &(struct used_path){.name = "--control", .path = access->control + scheme_size});
    if (access->metrics.path[0] != '\0')
        paths_add(paths, &(struct used_path){.name = "--metrics", .path = access->metrics.path});
}

int pipeline_check_paths(const struct config *config, struct error *error)
{
    size_t room = room_for_all(config);
    struct used_paths paths = {.all = calloc(room, sizeof *paths.all), .room = room};
    if (paths.all == NULL)
        return error_no_memory(error);
    paths_add_all_read(&paths, config); /* first, so that an error names the part that writes the
                                         * file */
    if (config->dead_letter.path != NULL)
        paths_add(&paths,
                  &(struct used_path){.name = "--dead-letter", .path = config->dead_letter.path});
    paths_add_sockets(&paths, &config->access);
    for (size_t i = 0; i < config->listener_count; i++)
        if (has_state_of_its_own(config, i))
            paths_add(&paths, &(struct used_path){.name = config->listeners[i].name,
                                                  .key = "state",
                                                  .path = config->listeners[i].seal_state,
                                                  .written_at = config->listeners[i].written_at});
    for (size_t i = 0; i < config->sink_count; i++)
        paths_add_sink(&paths, &config->sinks[i]);
    int result = compare_paths(&paths, error);
    free(paths.all);
    return result;
}

bool pipeline_sinks_meet(const struct sink_config *a, const struct sink_config *b)
{
    struct used_path all[4];
    struct used_paths paths = {.all = all, .room = sizeof all / sizeof *all};
    if (sink_configs_conflict(a, b))
        return true;
    paths_add_sink(&paths, a);
    size_t of_a = paths.count;
    paths_add_sink(&paths, b);
    for (size_t i = 0; i < of_a; i++)
        for (size_t k = of_a; k < paths.count; k++)
            if (paths_are_same(&all[i], &all[k]) || paths_may_meet(&all[i], &all[k]))
                return true;
    return false;
}
