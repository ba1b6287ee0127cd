/* Which listener has which of the sockets that the process was started with. */
#include <stdio.h>

#include "collector/log/log.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/inherited_sockets.h"

/* How much of a list of names an error has room for. */
#define NAMES_SIZE 256

/* --- which listener has which ----------------------------------------------------------------- */

static void list_names(char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < inherited_socket_count() && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : ", ",
                                 inherited_socket_at(i).name);
}

static int check_is_there(const struct listener_config *listener, struct error *error)
{
    char names[NAMES_SIZE] = "none";
    if (inherited_sockets_named(listener->inherited) != 0)
        return 0;
    list_names(names, sizeof names);
    error_set(error, EXIT_CODE_CANNOT_BIND,
              "%s: this process was not started with such a socket (it has: %s); with systemd it "
              "is that of a .socket unit with FileDescriptorName=%s",
              listener->name, names, listener->inherited);
    error_place(error, listener->written_at);
    return -1;
}

/* By its name and by its number one socket may be asked for twice. */
static int check_has_one_listener(const struct config *config, size_t index, struct error *error)
{
    const struct listener_config *owner = NULL;
    struct inherited_socket socket = inherited_socket_at(index);
    for (size_t i = 0; i < config->listener_count; i++) {
        const struct listener_config *listener = &config->listeners[i];
        if (listener->inherited == NULL || !inherited_socket_is(index, listener->inherited))
            continue;
        if (owner != NULL) {
            error_set(error, EXIT_CODE_CONFIG, "%s: this is a socket of %s already", listener->name,
                      owner->name);
            error_place(error, listener->written_at);
            return -1;
        }
        owner = listener;
    }
    if (owner == NULL)
        log_line(LOG_WARNING,
                 "this process was started with a socket that no listener is for: descriptor %d, "
                 "name %s",
                 (int)socket.handle, socket.name);
    return 0;
}

int pipeline_check_inherited(const struct config *config, struct error *error)
{
    for (size_t i = 0; i < config->listener_count; i++)
        if (config->listeners[i].inherited != NULL &&
            check_is_there(&config->listeners[i], error) != 0)
            return -1;
    for (size_t i = 0; i < inherited_socket_count(); i++)
        if (check_has_one_listener(config, i, error) != 0)
            return -1;
    return 0;
}

/* --- giving them ------------------------------------------------------------------------------ */

void pipeline_give_inherited(const struct listener_config *listener, size_t number,
                             struct udp_socket_options *options)
{
    for (size_t i = 0; listener->inherited != NULL && i < inherited_socket_count(); i++) {
        if (!inherited_socket_is(i, listener->inherited) || number-- != 0)
            continue;
        options->inherited = true;
        options->handle = inherited_socket_at(i).handle;
        return;
    }
}

void pipeline_name_inherited(const struct listener_config *listener, struct error *error)
{
    struct error what = *error;
    if (listener->inherited != NULL)
        error_set(error, what.code, "%s: %s", listener->name, what.text);
}

void pipeline_tell_inherited(const struct listener_config *listener, const struct address *bound)
{
    char text[ADDRESS_TEXT_SIZE];
    if (listener->inherited == NULL)
        return;
    address_format(bound, text);
    log_about(LOG_INFO, LOG_OF_LISTENER, listener->name, "a socket that is bound to %s", text);
}
