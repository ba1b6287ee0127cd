/*
 * Implements unix:PATH: connections of processes on this machine. PATH is a file, or an abstract
 * name of Linux. The connections are served like those of tcp:// (stream_source.h).
 */
#include <string.h>

#include "collector/platform/file_system.h"
#include "collector/platform/local_listener.h"
#include "collector/receive/sources.h"
#include "collector/receive/stream_source.h"

static const char *unix_refuse(const struct listener_config *listener)
{
    size_t length = strlen(listener->place);
    if (listener->place[0] == '/' && listener->place[1] == '/')
        return "a path is expected, not an authority; write unix:/PATH";
    if (length > LOCAL_NAME_MOST)
        return "the path is too long: that of a socket has at most 107 bytes";
    if (length == 1 && local_name_is_abstract(listener->place))
        return "a name is missing after \"@\"";
    if (local_name_is_abstract(listener->place) &&
        (listener->socket_mode != 0 || listener->socket_owner != NULL))
        return "mode= and owner= are for the file of a socket; an abstract name has none, and any "
               "process in its network namespace may connect";
    return stream_source_refuse(listener);
}

static bool unix_conflict(const struct listener_config *a, const struct listener_config *b)
{
    return file_path_same(a->place, b->place);
}

static struct local_access unix_access(const struct listener_config *listener)
{
    return (struct local_access){.mode = (unsigned)listener->socket_mode,
                                 .owner = listener->socket_owner};
}

/* Checks the settings without looking at files. */
static int unix_check(const struct listener_config *listener, struct error *error)
{
    const struct local_access access = unix_access(listener);
    if (!local_listeners_exist)
        return local_listener_check(listener->place, &access, error);
    return stream_source_check(listener, error);
}

static int unix_probe(const struct listener_config *listener, struct error *error)
{
    const struct local_access access = unix_access(listener);
    return local_listener_check(listener->place, &access, error);
}

const struct source_ops source_unix = {
    .scheme = "unix",
    .syntax = "unix:PATH",
    .kind = "unix",
    .place = PLACE_PATH,
    .no_place = "the path is missing; write unix:PATH, or unix:@NAME for an abstract name",
    .keys = SOURCE_KEYS_STREAM | SOURCE_KEYS_LOCAL,
    .refuse = unix_refuse,
    .conflict = unix_conflict,
    .check = unix_check,
    .probe = unix_probe,
    STREAM_SOURCE,
};
