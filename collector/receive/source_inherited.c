/*
 * Implements fd:NAME. The process was started with bound sockets of this name: UDP sockets, or
 * listening TCP sockets (source_tcp.c). The sockets determine the kind of the source.
 */
#include <stdio.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/platform/service_manager.h"
#include "collector/receive/inherited_source.h"
#include "collector/receive/socket_source.h"
#include "collector/receive/sources.h"

#define NAMES_SIZE 256

static int inherited_check(const struct listener_config *listener, struct error *error)
{
    if (inherited_sockets_exist)
        return socket_source_check(listener, error);
    error_set(error, EXIT_CODE_CONFIG, "%s: this system starts no process with sockets",
              listener->name);
    return -1;
}

/* --- kinds of sockets ------------------------------------------------------------------------- */

/*
 * Returns the operations for the kind of the sockets. If there are no sockets, as when a
 * configuration is checked, the result accepts the keys of both kinds. Sockets of both kinds are
 * refused later, before they are opened.
 */
static const struct source_ops *inherited_at_place(const char *place)
{
    struct error ignored;
    size_t streams = 0;
    inherited_sockets_take(&ignored); /* a failure is reported later, when the program starts */
    for (size_t i = 0; i < inherited_socket_count(); i++)
        streams += inherited_socket_is(i, place) && inherited_socket_listens(i);
    size_t all = inherited_sockets_named(place);
    if (all == 0 || (streams != 0 && streams != all))
        return &source_inherited;
    return streams == 0 ? &source_inherited_datagrams : &source_inherited_streams;
}

static bool is_inherited(const struct listener_config *listener)
{
    return listener->source == &source_inherited ||
           listener->source == &source_inherited_datagrams ||
           listener->source == &source_inherited_streams;
}

/* --- the listener of each socket -------------------------------------------------------------- */

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
    if (listener->source != &source_inherited)
        return 0;
    if (inherited_sockets_named(listener->place) != 0) {
        error_set(error, EXIT_CODE_CANNOT_BIND,
                  "%s: some sockets of this name take datagrams, others connections; with systemd "
                  "write a .socket unit for each kind, each with its own FileDescriptorName=",
                  listener->name);
        error_place(error, listener->written_at);
        return -1;
    }
    list_names(names, sizeof names);
    error_set(error, EXIT_CODE_CANNOT_BIND,
              "%s: this process was not started with such a socket (it has: %s); with systemd a "
              ".socket unit with FileDescriptorName=%s provides it",
              listener->name, names, listener->place);
    error_place(error, listener->written_at);
    return -1;
}

static bool listener_has(const struct listener_config *listener, size_t index)
{
    return is_inherited(listener) && inherited_socket_is(index, listener->place);
}

/*
 * Refuses a socket that two listeners request, for example one by its name and one by its
 * number.
 */
static int check_has_one_listener(const struct listener_config *listeners, size_t count,
                                  size_t index, struct error *error)
{
    const struct listener_config *owner = NULL;
    struct inherited_socket socket = inherited_socket_at(index);
    for (size_t i = 0; i < count; i++) {
        if (!listener_has(&listeners[i], index))
            continue;
        if (owner != NULL) {
            error_set(error, EXIT_CODE_CONFIG, "%s: this socket already belongs to %s",
                      listeners[i].name, owner->name);
            error_place(error, listeners[i].written_at);
            return -1;
        }
        owner = &listeners[i];
    }
    if (owner == NULL)
        log_line(LOG_WARNING, "no listener uses an inherited socket: descriptor %d, name %s",
                 (int)socket.handle, socket.name);
    return 0;
}

static int inherited_prepare(const struct listener_config *listeners, size_t count,
                             struct error *error)
{
    for (size_t i = 0; i < count; i++)
        if (is_inherited(&listeners[i]) && check_is_there(&listeners[i], error) != 0)
            return -1;
    for (size_t i = 0; i < inherited_socket_count(); i++)
        if (check_has_one_listener(listeners, count, i, error) != 0)
            return -1;
    return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static size_t inherited_count(const struct listener_config *listener)
{
    return inherited_sockets_named(listener->place);
}

static void fill_inherited(const struct listener_config *listener, size_t number,
                           struct udp_socket_options *options)
{
    for (size_t i = 0; i < inherited_socket_count(); i++) {
        if (!inherited_socket_is(i, listener->place) || number-- != 0)
            continue;
        options->inherited = true;
        options->handle = inherited_socket_at(i).handle;
        return;
    }
}

/* Logs the address of the socket, because the listener's name does not contain it. */
static void log_bound(const struct source *source)
{
    char text[ADDRESS_TEXT_SIZE];
    address_format(&source->address, text);
    log_about(LOG_INFO, LOG_OF_LISTENER, source->config->name,
              "using an inherited socket bound to %s", text);
}

static int inherited_open_sockets(struct source *source, const struct source_host *host,
                                  struct error *error)
{
    const struct listener_config *config = source->config;
    struct receiver_socket socket = socket_source_describe(source);
    for (size_t i = 0; i < inherited_count(config); i++) {
        fill_inherited(config, i, &socket.options);
        if (socket_source_add(source, host, i, &socket, error) != 0) {
            struct error what = *error; /* adds the listener's name to the text */
            error_set(error, what.code, "%s: %s", config->name, what.text);
            return -1;
        }
        log_bound(source);
    }
    return 0;
}

static void inherited_announce(const struct source *source, const struct source_host *host)
{
    const struct listener_config *config = source->config;
    socket_source_announce(source, host);
    if (config->receivers > inherited_count(config))
        log_about(LOG_INFO, LOG_OF_LISTENER, source->listener.name,
                  "receivers=%llu: one thread serves a socket, and the number of sockets is %zu",
                  (unsigned long long)config->receivers, inherited_count(config));
}

/* For UDP sockets, and for sockets of unknown kind. */
#define INHERITED_SOURCE                                                                           \
    .scheme = "fd", .syntax = "fd:NAME", .kind = "udp", .place = PLACE_NAME,                       \
    .refuse = inherited_source_refuse, .conflict = inherited_source_conflict,                      \
    .check = inherited_check, .sockets = inherited_count, .open = inherited_open_sockets,          \
    .announce = inherited_announce, .fixed_key = socket_source_fixed_key,                          \
    .change = socket_source_change, .undo = socket_source_undo, .remove = socket_source_remove

const struct source_ops source_inherited_datagrams = {
    .keys = SOURCE_KEYS_SOCKET,
    INHERITED_SOURCE,
};

/* For sockets of unknown kind, which are never opened. */
const struct source_ops source_inherited = {
    .no_place = "the name of the socket is missing; write fd:NAME, which with systemd is its "
                "FileDescriptorName=",
    .keys = SOURCE_KEYS_SOCKET | SOURCE_KEYS_STREAM,
    .at_place = inherited_at_place,
    .prepare = inherited_prepare,
    INHERITED_SOURCE,
};
