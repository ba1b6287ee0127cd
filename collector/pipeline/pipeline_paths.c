/*
 * Finds parts of a configuration that use the same file by different names. Equal texts are refused
 * when the configuration is read; here the paths are resolved to files.
 */
#include "collector/pipeline/pipeline_paths.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/config.h"
#include "collector/contract/source.h"
#include "collector/platform/file_system.h"

/* A file or folder that only one part of a configuration may use. */
struct used_path {
    const char *name; /* name of the sink, listener or option, for messages */
    const char *path;
    const char *fields;     /* text after the folder in a path with strftime fields, or "" */
    const char *written_at; /* position in the configuration; NULL: not known */
    bool only_read;
    struct file_location place;
};

struct used_paths {
    struct used_path *all;
    size_t count, room;
};

/*
 * Splits a path with strftime fields, which names many files: its folder is compared, and the text
 * after the folder.
 */
static bool find_template(const char *path, const char **fields, struct file_location *place)
{
    char base[4096];
    char folder[sizeof base];
    size_t length = strcspn(path, "%");
    *fields = "";
    if (path[length] == '\0')
        return file_location_find(path, place);
    if (length >= sizeof base)
        return false;
    memcpy(base, path, length);
    base[length] = '\0';
    *fields = path + (file_path_name(base) - base);
    return file_path_copy_folder(base, folder, sizeof folder) && file_location_find(folder, place);
}

static void paths_add(struct used_paths *paths, const struct used_path *used, bool has_fields)
{
    RULE(paths->count < paths->room, "every part has room for its paths");
    struct used_path *added = &paths->all[paths->count];
    *added = *used;
    added->fields = "";
    bool found = has_fields ? find_template(used->path, &added->fields, &added->place)
                            : file_location_find(used->path, &added->place);
    paths->count += found;
}

static void paths_add_sink(struct used_paths *paths, const struct sink_config *sink)
{
    struct used_path used = {
        .name = sink->name, .path = sink->path, .fields = "", .written_at = sink->written_at};
    if (sink->destination->place_is == PLACE_FILES) {
        paths_add(paths, &used, true);
    } else if (sink->destination->is_standard_output) {
        RULE(paths->count < paths->room, "every part has room for its paths");
        paths->all[paths->count] = used;
        paths->all[paths->count].path = "standard output";
        paths->count += file_location_of_stdout(&paths->all[paths->count].place);
    }
    used.path = sink->settings.delivery.spill;
    if (used.path != NULL)
        paths_add(paths, &used, false);
}

/* Whether both name the same file. Two captures may read the same file. */
static bool paths_are_same(const struct used_path *a, const struct used_path *b)
{
    return !(a->only_read && b->only_read) && file_location_same(&a->place, &b->place) &&
           strcmp(a->fields, b->fields) == 0;
}

static int compare_paths(const struct used_paths *paths, struct error *error)
{
    for (size_t i = 0; i < paths->count; i++) {
        const struct used_path *used = &paths->all[i];
        for (size_t k = 0; k < i; k++) {
            const struct used_path *before = &paths->all[k];
            if (!paths_are_same(before, used))
                continue;
            error_set(error, EXIT_CODE_CONFIG, "%s and %s use the same file: %s is %s",
                      before->name, used->name, used->path, before->path);
            if (used->written_at != NULL)
                error_place(error, used->written_at);
            return -1;
        }
    }
    return 0;
}

int pipeline_check_paths(const struct config *config, struct error *error)
{
    static const char unix_scheme[] = "unix:";
    const size_t scheme_size = sizeof unix_scheme - 1;
    size_t room = 2 * config->sink_count + config->listener_count + 2;
    struct used_paths paths = {.all = calloc(room, sizeof *paths.all), .room = room};
    if (paths.all == NULL)
        return error_no_memory(error);
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if ((listener->source->keys & SOURCE_KEYS_CAPTURE) != 0 && listener->place != NULL)
            paths_add(&paths,
                      &(struct used_path){.name = listener->name,
                                          .path = listener->place,
                                          .written_at = listener->written_at,
                                          .only_read = true},
                      false);
    }
    if (config->dead_letter.path != NULL)
        paths_add(&paths,
                  &(struct used_path){.name = "--dead-letter", .path = config->dead_letter.path},
                  false);
    if (config->access.control != NULL &&
        strncmp(config->access.control, unix_scheme, scheme_size) == 0)
        paths_add(
            &paths,
            &(struct used_path){.name = "--control", .path = config->access.control + scheme_size},
            false);
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
            if (paths_are_same(&all[i], &all[k]))
                return true;
    return false;
}
