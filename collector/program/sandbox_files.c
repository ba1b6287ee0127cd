#include "collector/program/sandbox_files.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/file_system.h"
#include "collector/platform/input_file.h"
#include "collector/text/copy.h"
#include "collector/text/text.h"
#include "proto/source/proto_files.h"

/* The most bytes of a file with properties; the sinks refuse longer files. */
#define TEXT_SIZE ((size_t)65536)

/* --- properties ------------------------------------------------------------------------------- */

/* Called for each property. Returns false to end the walk. */
typedef bool take_property(void *context, const char *name, const char *value);

static char *trimmed(char *text)
{
    text += strspn(text, " \t\r");
    size_t length = strlen(text);
    while (length != 0 && strchr(" \t\r", text[length - 1]) != NULL)
        length--;
    text[length] = '\0';
    return text;
}

/* Calls `take` for each line "NAME=VALUE" of a text, which is modified. */
static bool walk_text(char *text, take_property *take, void *context)
{
    while (text != NULL) {
        char *end = strchr(text, '\n');
        if (end != NULL)
            *end = '\0';
        char *equals = strchr(text, '=');
        if (equals != NULL)
            *equals = '\0';
        if (equals != NULL && !take(context, trimmed(text), trimmed(equals + 1)))
            return false;
        text = end == NULL ? NULL : end + 1;
    }
    return true;
}

/*
 * Calls walk_text for a file. Does not read a pipe: its bytes can be read only once, and the sink
 * needs them.
 */
static bool walk_file(const char *path, take_property *take, void *context)
{
    struct error unused;
    size_t length;
    if (path == NULL || input_load_check(path, &unused) != 0)
        return true;
    char *text = malloc(TEXT_SIZE + 1);
    if (text == NULL)
        return false;
    bool walked = true;
    if (input_load(path, text, TEXT_SIZE, &length, &unused) == 0) {
        text[length] = '\0';
        walked = walk_text(text, take, context);
    }
    secure_clear(text, TEXT_SIZE + 1); /* the text may contain passwords */
    free(text);
    return walked;
}

static bool walk_lines(const char *lines, take_property *take, void *context)
{
    if (lines == NULL)
        return true;
    char *text = text_copy(lines, strlen(lines));
    bool walked = text != NULL && walk_text(text, take, context);
    free(text);
    return walked;
}

static bool names_file(const char *name, const char *value)
{
    return value[0] == '/' || text_ends(name, strlen(name), ".location") ||
           same_text(name, "sasl.kerberos.keytab") || same_text(name, "seed_file");
}

static bool add_named(void *plan, const char *name, const char *value)
{
    return value[0] == '\0' || !names_file(name, value) || sandbox_plan_add_input(plan, value);
}

bool sandbox_files_add_named(struct sandbox_plan *plan, const struct broker_options *broker)
{
    return walk_file(broker->properties, add_named, plan) &&
           walk_file(broker->credentials, add_named, plan) &&
           walk_lines(broker->kafka, add_named, plan);
}

/* --- Kerberos --------------------------------------------------------------------------------- */

struct login {
    bool sasl, other; /* true if a mechanism other than GSSAPI, librdkafka's default, is chosen */
};

static bool take_login(void *context, const char *name, const char *value)
{
    struct login *login = context;
    if (same_text(name, "security.protocol"))
        login->sasl = strncmp(value, "sasl", 4) == 0 || strncmp(value, "SASL", 4) == 0;
    if (same_text(name, "sasl.mechanism") || same_text(name, "sasl.mechanisms"))
        login->other = !same_text(value, "GSSAPI");
    return true;
}

bool sandbox_files_use_kerberos(const struct broker_options *broker)
{
    struct login login = {false, false};
    return walk_file(broker->properties, take_login, &login) &&
           walk_lines(broker->kafka, take_login, &login) && login.sasl && !login.other;
}

/* --- imports ---------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct folder *folder = folder_open(path);
    folder_close(folder);
    return folder != NULL;
}

bool sandbox_files_add_imports(struct sandbox_plan *plan, const char *path)
{
    struct proto_files *files = calloc(1, sizeof *files);
    struct error unused;
    if (files == NULL)
        return false;
    bool added = true;
    if (proto_files_open(path, is_folder(path), files, &unused) == 0)
        for (size_t i = files->listed; added && i < files->count; i++)
            added = sandbox_plan_add_input(plan, files->files[i]->path);
    proto_files_clear(files);
    free(files);
    return added;
}
