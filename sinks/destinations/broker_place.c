#include "sinks/destinations/broker_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_host_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '_';
}

/* Returns the length of the host at the beginning, with its brackets, or 0 if there is no host. */
static size_t host_length(const char *text, size_t length)
{
    size_t at = 0;
    if (length == 0 || text[0] != '[') {
        while (at < length && is_host_byte(text[at]))
            at++;
        return at;
    }
    for (at = 1; at < length && strchr("0123456789abcdefABCDEF:.", text[at]) != NULL; at++)
        ;
    return at < length && text[at] == ']' && at > 1 ? at + 1 : 0;
}

static bool broker_is_port(const char *text, size_t length)
{
    unsigned port = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || i == 5)
            return false;
        port = port * 10 + (unsigned)(text[i] - '0');
    }
    return port >= 1 && port <= 65535;
}

static bool add_broker(struct broker_place *place, const char *text, size_t length,
                       unsigned default_port)
{
    size_t host = host_length(text, length);
    bool has_port = host < length;
    if (host == 0 || place->count == BROKERS_MOST ||
        (has_port && (text[host] != ':' || !broker_is_port(text + host + 1, length - host - 1))))
        return false;
    size_t used = strlen(place->brokers);
    size_t room = sizeof place->brokers - used;
    char port[8] = "";
    if (!has_port)
        snprintf(port, sizeof port, ":%u", default_port);
    int needed = snprintf(place->brokers + used, room, "%s%.*s%s", used == 0 ? "" : ",",
                          (int)length, text, port);
    place->count++;
    return needed > 0 && (size_t)needed < room;
}

int broker_place_refuse(const char *text, const char *why, struct error *error)
{
    if (strchr(text, '@') == NULL)
        error_set(error, EXIT_CODE_CONFIG, "\"%.300s\" %s", text, why);
    else
        error_set(error, EXIT_CODE_CONFIG,
                  "a user and a password are not allowed before the brokers; put them in the file "
                  "of properties_file= (kafka:) or credentials_file= (nats:)");
    return -1;
}

const char *broker_place_route(const char *text)
{
    const char *slash = strchr(text + (strncmp(text, "//", 2) == 0 ? 2 : 0), '/');
    return slash == NULL ? "" : slash + 1;
}

int broker_place_read(const char *text, const struct broker_kind *kind, struct broker_place *place,
                      struct error *error)
{
    place->route = broker_place_route(text);
    if (strncmp(text, "//", 2) == 0)
        text += 2;
    place->brokers[0] = '\0';
    place->count = 0;
    if (place->route[0] == '\0') {
        int length = (int)strcspn(text, "/");
        if (strchr(text, '@') != NULL)
            return broker_place_refuse(text, "", error);
        error_set(error, EXIT_CODE_CONFIG, "%s missing: %s://%.*s/%s", kind->route, kind->scheme,
                  length == 0    ? 6
                  : length < 300 ? length
                                 : 300,
                  length == 0 ? "BROKER" : text, kind->example);
        return -1;
    }
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",/");
        if (!add_broker(place, at, length, kind->port)) {
            if (strchr(at, '@') != NULL)
                return broker_place_refuse(at, "", error);
            error_set(error, EXIT_CODE_CONFIG, "\"%.*s\" is not HOST:PORT of a broker",
                      (int)(length < 300 ? length : 300), at);
            return -1;
        }
        at += length;
        if (at + 1 == place->route)
            return 0;
    }
}
