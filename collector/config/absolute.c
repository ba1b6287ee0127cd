#include "collector/config/absolute.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/keys.h"
#include "collector/config/option_table.h"
#include "collector/config/url.h"
#include "collector/platform/file_system.h"
#include "collector/text/output.h"

struct writing {
    const struct config_registry *registry;
    const char *folder;
    struct output out;
    struct error *error;
};

static void absolute_put(struct writing *writing, const char *text, size_t length)
{
    output_bytes(&writing->out, text, length);
}

static bool absolute_no_memory(struct error *error)
{
    error_set(error, EXIT_CODE_INTERNAL, "not enough memory");
    return false;
}

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * Returns the number of leading bytes of the folder that must be written before the path to make it
 * absolute: 0, all bytes, or only those of the drive.
 */
static size_t folder_part(const char *folder, const char *path)
{
    size_t root = file_path_root(path);
    if (root == 0)
        return strlen(folder);
    size_t drive = root == 1 ? file_path_root(folder) : 0;
    return drive != 0 && folder[drive - 1] == '/' ? drive - 1 : drive;
}

/*
 * Writes the first `length` bytes of the folder. In a template, writes each percent sign as
 * "%%".
 */
static void put_folder(struct writing *writing, size_t length, bool is_template)
{
    for (size_t i = 0; i < length; i++) {
        absolute_put(writing, &writing->folder[i], 1);
        if (is_template && writing->folder[i] == '%')
            absolute_put(writing, "%", 1);
    }
}

/*
 * Writes a path as an absolute path. `end` is the character that ends a path here; if the folder
 * contains it, returns false with the error filled.
 */
static bool absolute_put_path(struct writing *writing, const char *text, size_t length, char end,
                              bool is_template)
{
    char *path = malloc(length + 1);
    if (path == NULL)
        return absolute_no_memory(writing->error);
    memcpy(path, text, length);
    path[length] = '\0';
    file_path_normalise(path);
    size_t before = folder_part(writing->folder, path);
    bool good = memchr(writing->folder, end, before) == NULL;
    if (!good)
        error_set(writing->error, EXIT_CODE_USAGE,
                  "%s is in the folder %s, whose \"%c\" would end the path", path, writing->folder,
                  end);
    put_folder(writing, before, is_template);
    if (file_path_root(path) == 0 && writing->folder[before - 1] != '/')
        absolute_put(writing, "/", 1);
    absolute_put(writing, path, length);
    free(path);
    return good;
}

/* --- arguments -------------------------------------------------------------------------------- */

static bool absolute_put_value(struct writing *writing, const struct setting *setting,
                               const char *text, size_t length, char end)
{
    size_t path = setting_path(setting, writing->registry, text, length);
    absolute_put(writing, text, path);
    return path == length || absolute_put_path(writing, text + path, length - path, end, false);
}

static bool put_keys(struct writing *writing, const char *text)
{
    struct parse_error ignored;
    for (;;) {
        size_t length = strcspn(text, "&");
        size_t value = strcspn(text, "=") + 1;
        const struct setting *key = key_find(~0u, text, value - 1, &ignored);
        absolute_put(writing, text, value);
        if (!absolute_put_value(writing, key, text + value, length - value, '&'))
            return false;
        text += length;
        if (*text == '\0')
            return true;
        absolute_put(writing, text++, 1);
    }
}

static bool put_url(struct writing *writing, const char *url, struct url_place place)
{
    const char *keys = url + place.at + place.length;
    absolute_put(writing, url, place.at);
    if (!place.is_path)
        absolute_put(writing, url + place.at, place.length);
    else if (!absolute_put_path(writing, url + place.at, place.length, '?', place.is_template))
        return false;
    if (*keys == '\0')
        return true;
    absolute_put(writing, keys, 1);
    return put_keys(writing, keys + 1);
}

static bool put_option_value(struct writing *writing, const struct option *option,
                             const char *value)
{
    switch (option->action) {
    case OPTION_LISTEN:
        return put_url(writing, value, url_place_of_listener(value, writing->registry));
    case OPTION_SINK:
        return put_url(writing, value, url_place_of_sink(value, writing->registry));
    case OPTION_DEAD_LETTERS:
        return put_url(writing, value, url_place_of_dead_letter(value));
    case OPTION_CONFIG:
        return absolute_put_path(writing, value, strlen(value), '\0', false);
    case OPTION_VALUE:
        return absolute_put_value(writing, &option->setting, value, strlen(value), '\0');
    case OPTION_FLAG:
    case OPTION_HELP:
    case OPTION_VERSION:
    case OPTION_SCHEMA:
        break;
    }
    return true;
}

/*
 * Returns the maximum size of the new argument. The argument has one path, and one more for each
 * '='; the folder may be added to each of these paths, with each "%" doubled.
 */
static size_t most_bytes(const char *argument, const char *folder)
{
    size_t paths = 1;
    size_t length = strlen(argument);
    for (size_t i = 0; i < length; i++)
        paths += argument[i] == '=';
    return length + paths * (2 * strlen(folder) + 1) + 1;
}

/*
 * Copies "--name=value" with an absolute path. If `option` is not NULL, `argument` is the value of
 * that option, which was the previous argument.
 */
static char *write_again(struct writing *writing, const struct option *option, const char *argument)
{
    size_t capacity = most_bytes(argument, writing->folder);
    const char *equals = strchr(argument, '=');
    const char *value = argument;
    writing->out = (struct output){.data = malloc(capacity), .capacity = capacity};
    if (writing->out.data == NULL) {
        absolute_no_memory(writing->error);
        return NULL;
    }
    if (option == NULL) {
        option = option_named(argument);
        value = equals != NULL ? equals + 1 : argument + strlen(argument);
        absolute_put(writing, argument, (size_t)(value - argument));
    }
    if (option == NULL) {
        absolute_put(writing, value, strlen(value)); /* argv[0] is copied unchanged */
    } else if (*value != '\0' && !put_option_value(writing, option, value)) {
        free(writing->out.data);
        return NULL;
    }
    output_char(&writing->out, '\0');
    RULE(!writing->out.overflow, "a copied argument fits the memory measured for it");
    return writing->out.data;
}

static const struct option *awaits_value(const char *argument)
{
    const struct option *option = option_named(argument);
    bool has_value =
        option != NULL && (option->action == OPTION_LISTEN || option->action == OPTION_SINK ||
                           option->action == OPTION_DEAD_LETTERS ||
                           option->action == OPTION_CONFIG || option->action == OPTION_VALUE);
    return has_value && strchr(argument, '=') == NULL ? option : NULL;
}

char **absolute_arguments(int argc, char *const *argv, const struct config_registry *registry,
                          const char *folder, struct error *error)
{
    struct writing writing = {.registry = registry, .folder = folder, .error = error};
    char **made = calloc((size_t)argc + 1, sizeof *made);
    const struct option *awaiting = NULL;
    if (made == NULL) {
        absolute_no_memory(error);
        return NULL;
    }
    for (int i = 0; i < argc; i++) {
        made[i] = write_again(&writing, awaiting, argv[i]);
        if (made[i] == NULL) {
            absolute_arguments_free(made);
            return NULL;
        }
        awaiting = awaiting == NULL ? awaits_value(argv[i]) : NULL;
    }
    return made;
}

void absolute_arguments_free(char **arguments)
{
    for (char **one = arguments; one != NULL && *one != NULL; one++)
        free(*one);
    free(arguments);
}
