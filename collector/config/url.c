#include "collector/config/url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/listener_keys.h"
#include "collector/config/rules.h"
#include "collector/config/units.h"
#include "collector/contract/path_template.h"
#include "collector/contract/source.h"
#include "collector/platform/file_path.h"
#include "collector/text/copy.h"
#include "collector/text/secret_url.h"

/* Bytes of a property with its name, with the NUL that ends it. */
#define PROPERTY_SIZE 1024

/* A URL taken apart. Lengths without what separates the parts. */
struct url {
    const char *text;
    size_t scheme_length;
    size_t place_at; /* after the colon */
    size_t place_length;
    const char *keys; /* after the '?'; NULL: there is none */
};

static bool starts_with_scheme(const char *text, const char *scheme)
{
    size_t length = strlen(scheme);
    return strncmp(text, scheme, length) == 0 && text[length] == ':';
}

static struct url split(const char *text)
{
    struct url url = {.text = text};
    url.scheme_length = strcspn(text, ":");
    url.place_at = url.scheme_length + 1;
    url.place_length = strcspn(text + url.place_at, "?");
    size_t end = url.place_at + url.place_length;
    url.keys = text[end] == '?' ? text + end + 1 : NULL;
    return url;
}

/* The part of the text that stands where a scheme should. */
static size_t scheme_part(const char *text)
{
    return strcspn(text, ":?/");
}

/* The fault of keys, counted from the beginning of the URL. */
static bool wrong_keys(const struct url *url, struct parse_error *fault)
{
    if (url->keys != NULL)
        fault->at += (size_t)(url->keys - url->text);
    return false;
}

/* --- listeners -------------------------------------------------------------------------------- */

static bool parse_port(const char *text, size_t length, size_t at, uint16_t *port,
                       struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (length == 0)
        return parse_error_set(fault, at, "the port is missing; write udp://ADDR:PORT");
    if (quantity_parse(QUANTITY_COUNT, text, length, &value) != NULL || value > UINT16_MAX)
        return parse_error_set(fault, at, "port %s is not a number from 0 to 65535",
                               quoted(text, length, given));
    *port = (uint16_t)value;
    return true;
}

/* The address between brackets; text[at] is the one that opens. *end is after the other. */
static bool parse_bracketed(const char *text, size_t length, struct address *address, size_t *end,
                            struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *close = memchr(text, ']', length);
    if (close == NULL)
        return parse_error_set(fault, 0, "the bracket is not closed; write udp://[ADDR]:PORT");
    size_t host_length = (size_t)(close - text) - 1;
    if (memchr(text, ':', host_length + 1) == NULL ||
        !address_parse_host(text + 1, host_length, address))
        return parse_error_set(fault, 1, "%s is not a numeric IPv6 address",
                               quoted(text + 1, host_length, given));
    *end = host_length + 2;
    return true;
}

static bool parse_unbracketed(const char *text, size_t length, struct address *address, size_t *end,
                              struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    const char *colon = memchr(text, ':', length);
    size_t host_length = colon != NULL ? (size_t)(colon - text) : length;
    if (colon != NULL && memchr(colon + 1, ':', length - host_length - 1) != NULL)
        return parse_error_set(fault, 0, "an IPv6 address stands in brackets: udp://[::1]:5555");
    if (host_length == 0)
        return parse_error_set(fault, 0, "the address is missing; every one is 0.0.0.0 or [::]");
    if (!address_parse_host(text, host_length, address)) {
        parse_error_set(fault, 0, "%s is not a numeric address; names are not looked up",
                        quoted(text, host_length, given));
        bool local = host_length == 9 && memcmp(text, "localhost", 9) == 0;
        parse_error_suggest(fault, local ? "127.0.0.1" : NULL);
        return false;
    }
    *end = host_length;
    return true;
}

bool url_parse_authority(const char *text, size_t length, struct address *address,
                         struct parse_error *fault)
{
    size_t end = 0;
    uint16_t port = 0;
    bool bracketed = length != 0 && text[0] == '[';
    if (!(bracketed ? parse_bracketed : parse_unbracketed)(text, length, address, &end, fault))
        return false;
    if (end < length && text[end] != ':')
        return parse_error_set(fault, end, "after the address comes \":PORT\"");
    size_t port_at = end < length ? end + 1 : end;
    if (!parse_port(text + port_at, length - port_at, port_at, &port, fault))
        return false;
    address->port = port;
    return true;
}

/* The place of an address, "//ADDR:PORT". */
static bool parse_address(const struct url *url, struct listener_config *listener,
                          struct parse_error *fault)
{
    const char *place = url->text + url->place_at;
    if (strncmp(place, "//", 2) != 0)
        return parse_error_set(fault, url->place_at, "%s", listener->source->no_place);
    if (url_parse_authority(place + 2, url->place_length - 2, &listener->address, fault))
        return true;
    fault->at += url->place_at + 2;
    return false;
}

/* The place of a name or a path. */
static bool parse_text(const struct url *url, struct listener_config *listener,
                       struct parse_error *fault)
{
    if (url->place_length == 0)
        return parse_error_set(fault, url->place_at, "%s", listener->source->no_place);
    listener->place = text_copy(url->text + url->place_at, url->place_length);
    if (listener->place == NULL)
        return parse_error_no_memory(fault);
    if (listener->source->place == PLACE_PATH)
        file_path_normalise(listener->place);
    return true;
}

/* Why the source refuses what was written, at the place or after the slashes before it. */
static bool check_refusal(const struct url *url, const struct listener_config *listener,
                          struct parse_error *fault)
{
    const struct source_ops *source = listener->source;
    const char *why = source->refuse == NULL ? NULL : source->refuse(listener);
    size_t slashes = source->place == PLACE_ADDRESS ? 2 : 0;
    return why == NULL || parse_error_set(fault, url->place_at + slashes, "%s", why);
}

/* Whether the text is the name of a built-in schema, up to its keys. */
static bool is_schema(const char *text, const struct config_registry *registry)
{
    size_t length = strcspn(text, ":?/");
    for (size_t i = 0; registry->schemas[i] != NULL; i++)
        if (strlen(registry->schemas[i]->name) == length &&
            memcmp(registry->schemas[i]->name, text, length) == 0)
            return true;
    return false;
}

/* Appends the listener that a text without a scheme probably means. */
static void suggest_listener(const char *text, const struct config_registry *registry,
                             struct parse_error *fault)
{
    struct address address;
    struct parse_error ignored;
    uint16_t port;
    char keys[QUOTED_SIZE];
    int place = (int)strcspn(text, "?");
    const char *digits = text[0] == ':' ? text + 1 : text;
    int count = place - (int)(digits - text);
    copy_printable(keys, sizeof keys, text + place, strlen(text + place));
    if (keys[0] == '?')
        keys[0] = '&';
    if (is_schema(text, registry))
        parse_error_append(fault, "; did you mean \"udp://ADDR:PORT?schema=%.*s%s\"?", place, text,
                           keys);
    else if (parse_port(digits, (size_t)count, 0, &port, &ignored))
        parse_error_append(fault, "; did you mean \"udp://0.0.0.0:%.*s\", or \"udp://[::]:%.*s\"?",
                           count, digits, count, digits);
    else if (url_parse_authority(text, (size_t)place, &address, &ignored))
        parse_error_append(fault, "; did you mean \"udp://%.*s\"?", place, text);
}

static bool unknown_listener(const char *text, const struct config_registry *registry,
                             struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    size_t length = scheme_part(text);
    suggestion_begin(&suggestion, text, length);
    parse_error_set(fault, 0, "%s is not a listener; write",
                    quoted(text, strcspn(text, "?"), given));
    for (const struct source_ops *const *source = registry->sources; *source != NULL; source++) {
        bool first = source == registry->sources;
        parse_error_append(fault, "%s %s",
                           first               ? ""
                           : source[1] != NULL ? ","
                                               : " or",
                           (*source)->syntax);
        suggestion_offer(&suggestion, (*source)->scheme);
    }
    if (suggestion_found(&suggestion) != NULL)
        parse_error_append(fault, "; did you mean \"%s:\"?", suggestion_found(&suggestion));
    else
        suggest_listener(text, registry, fault);
    return false;
}

static const struct source_ops *find_source(const char *text,
                                            const struct config_registry *registry)
{
    for (size_t i = 0; registry->sources[i] != NULL; i++)
        if (starts_with_scheme(text, registry->sources[i]->scheme))
            return registry->sources[i];
    return NULL;
}

bool url_parse_listener(const char *url, const struct config_registry *registry,
                        struct listener_config *listener, struct parse_error *fault)
{
    listener->source = find_source(url, registry);
    if (listener->source == NULL)
        return unknown_listener(url, registry, fault);
    struct url parts = split(url);
    bool address = listener->source->place == PLACE_ADDRESS;
    listener->name = text_copy(url, parts.place_at + parts.place_length);
    if (listener->name == NULL)
        return parse_error_no_memory(fault);
    if (!(address ? parse_address : parse_text)(&parts, listener, fault))
        return false;
    if (listener->source->at_place != NULL)
        listener->source = listener->source->at_place(listener->place);
    if (!listener_keys_parse(listener->source->keys, registry, parts.keys, listener, fault))
        return wrong_keys(&parts, fault);
    if (listener->source->complete != NULL)
        listener->source->complete(listener);
    return check_refusal(&parts, listener, fault);
}

bool url_is_listener(const char *text, const struct config_registry *registry)
{
    return find_source(text, registry) != NULL;
}

/* --- sinks ------------------------------------------------------------------------------------ */

static const struct destination_ops *find_destination(const char *text,
                                                      const struct config_registry *registry)
{
    for (size_t i = 0; registry->destinations[i] != NULL; i++)
        if (starts_with_scheme(text, registry->destinations[i]->scheme))
            return registry->destinations[i];
    return NULL;
}

static bool unknown_sink(const char *text, const struct config_registry *registry,
                         struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    char shown[QUOTED_SIZE];
    size_t length = strcspn(text, "?");
    snprintf(shown, sizeof shown, "%.*s", (int)length, text);
    secret_url_blank(shown, strlen(shown));
    suggestion_begin(&suggestion, text, scheme_part(text));
    parse_error_set(fault, 0, "%s is not a sink; write", quoted(shown, strlen(shown), given));
    const struct destination_ops *destination;
    const char *with_path = NULL;
    for (size_t i = 0; (destination = registry->destinations[i]) != NULL; i++) {
        if (destination->needs_path && with_path == NULL)
            with_path = destination->scheme;
        parse_error_append(fault, "%s %s:%s", i == 0 ? "" : " or", destination->scheme,
                           destination_place(destination));
        suggestion_offer(&suggestion, destination->scheme);
    }
    if (suggestion_found(&suggestion) != NULL)
        parse_error_append(fault, "; did you mean \"%s:\"?", suggestion_found(&suggestion));
    else if (strchr(text, ':') == NULL && with_path != NULL)
        parse_error_append(fault, "; a path goes after %s:", with_path);
    return false;
}

static bool check_place(const struct url *url, const struct destination_ops *destination,
                        struct parse_error *fault)
{
    if (!destination->needs_path && url->place_length != 0)
        return parse_error_set(fault, url->place_at, "%s: takes no path; keys come after a \"?\"",
                               destination->scheme);
    if (destination->needs_path && url->place_length == 0)
        return parse_error_set(fault, url->place_at, "%s is missing; write %s:%s",
                               destination->place != NULL ? destination->place : "the path",
                               destination->scheme, destination_place(destination));
    return true;
}

/* The first of the keys about which files stay, and its place; KEY_NOT_GIVEN: there is none. */
static const char *given_keep(const struct keys_given *given, size_t *place)
{
    static const char *const keys[] = {"keep", "keep_time", "keep_size"};
    size_t i = 0;
    while ((*place = keys_place(given, KEY_OF_FILE_SINK, keys[i])) == KEY_NOT_GIVEN && i < 2)
        i++;
    return keys[i];
}

/* The keys that are about more than one file need more than one. */
static bool check_rotation(const struct url *url, const struct sink_config *sink,
                           const struct path_template *path, const struct keys_given *given,
                           struct parse_error *fault)
{
    const struct encoder_ops *encoder = sink->encoder;
    bool rotates = sink->file.rotate_size != 0 || sink->file.rotate_interval != 0;
    size_t rotate = keys_place(given, KEY_OF_FILE_SINK,
                               sink->file.rotate_size != 0 ? "rotate_size" : "rotate_interval");
    size_t keep;
    const char *key = given_keep(given, &keep);
    size_t most = keys_place(given, KEY_OF_FILE_SINK, "max_files");
    if (encoder->arrange != NULL && rotates)
        parse_error_set(fault, rotate,
                        "format=%s writes a file for each flush_interval: there is no "
                        "other rotation",
                        encoder->name);
    else if (keep != KEY_NOT_GIVEN && !rotates && encoder->arrange == NULL &&
             !path_template_has_time(path))
        parse_error_set(
            fault, keep,
            "%s is for files that rotate: by rotate_size, rotate_interval, or a field of "
            "time in the path",
            key);
    else if (sink->file.keep_size != 0 && sink->file.keep_size < sink->file.rotate_size)
        parse_error_set(fault, keys_place(given, KEY_OF_FILE_SINK, "keep_size"),
                        "keep_size is less than rotate_size: not one full file would stay");
    else if (most != KEY_NOT_GIVEN && !path_template_has_values(path))
        parse_error_set(fault, most,
                        "max_files is for a path with values in it, such as %%{source}");
    else
        return true;
    return wrong_keys(url, fault);
}

/* A path may have fields of time and of values in it. */
static bool check_path(const struct url *url, const struct sink_config *sink,
                       const struct keys_given *given, struct parse_error *fault)
{
    struct path_template *path;
    size_t wrong_at;
    const char *why;
    if (!sink->destination->is_file)
        return true;
    if (!path_template_parse(sink->path, &path, &wrong_at, &why))
        return why == NULL ? parse_error_no_memory(fault)
                           : parse_error_set(fault, url->place_at + wrong_at, "%s", why);
    bool right = check_rotation(url, sink, path, given, fault);
    path_template_free(path);
    return right;
}

/* What is arranged, or compressed, is collected, so that there is something to do that with. */
static void set_collecting(struct sink_config *sink, const struct keys_given *given)
{
    const uint64_t second = 1000000000;
    bool asked = keys_place(given, KEY_OF_SINK, "flush_interval") != KEY_NOT_GIVEN;
    sink->at_once = asked && sink->flush_interval == 0;
    if (asked)
        return;
    if (sink->encoder->arrange != NULL)
        sink->flush_interval = 10 * second;
    else if (sink->file.compression != NULL || sink->destination->is_delivery)
        sink->flush_interval = second;
}

/* What is about a spill alone. */
static bool check_spill(const struct url *url, const struct sink_config *sink,
                        const struct keys_given *given, struct parse_error *fault)
{
    size_t size = keys_place(given, KEY_OF_DELIVERY_SINK, "spill_size");
    size_t sync = keys_place(given, KEY_OF_DELIVERY_SINK, "fsync");
    if (!sink->destination->is_delivery)
        return true;
    if (sink->delivery.spill != NULL && sink->delivery.retry != RETRY_AT_MOST_ONCE)
        return true;
    if (sink->delivery.spill != NULL)
        parse_error_set(fault, keys_place(given, KEY_OF_DELIVERY_SINK, "retry"),
                        "retry=at_most_once and spill= exclude each other: what lies on disk is "
                        "sent until it is answered");
    else if (size != KEY_NOT_GIVEN)
        parse_error_set(fault, size, "spill_size is about a spill; write spill=FOLDER as well");
    else if (sync != KEY_NOT_GIVEN)
        parse_error_set(fault, sync, "fsync is about a spill here; write spill=FOLDER as well");
    else
        return true;
    return wrong_keys(url, fault);
}

/* A key belongs to a certificate. */
static bool check_tls(const struct url *url, const struct sink_config *sink,
                      const struct keys_given *given, struct parse_error *fault)
{
    if (sink->tls.key == NULL || sink->tls.cert != NULL)
        return true;
    parse_error_set(fault, keys_place(given, KEY_OF_HTTP_SINK | KEY_OF_NATS_SINK, "client_key"),
                    "client_key is for a certificate; write client_cert=FILE as well");
    return wrong_keys(url, fault);
}

/* What requests over HTTP carry: one way to say who we are, and one compression. */
static bool check_http(const struct url *url, const struct sink_config *sink,
                       const struct keys_given *given, struct parse_error *fault)
{
    const struct encoder_request *request = sink->encoder->request;
    const struct http_options *http = &sink->http;
    if (!sink->destination->is_http)
        return true;
    if (http->token_file != NULL && http->password_file != NULL)
        parse_error_set(fault, keys_place(given, KEY_OF_HTTP_SINK, "password_file"),
                        "token_file and password_file are two ways to fill one header");
    else if (sink->file.compression != NULL && request != NULL &&
             request->shapes[0].content_encoding != NULL)
        parse_error_set(fault, keys_place(given, KEY_OF_HTTP_SINK, "compress"),
                        "format=%s is compressed already, with %s", sink->encoder->name,
                        request->shapes[0].content_encoding);
    else
        return true;
    return wrong_keys(url, fault);
}

/* The addresses that a relay sends to. */
static bool parse_targets(const struct url *url, struct sink_config *sink,
                          struct parse_error *fault)
{
    struct relay_options *relay = &sink->relay;
    for (const char *at = sink->path;; at++) {
        size_t length = strcspn(at, ",");
        size_t place = url->place_at + (size_t)(at - sink->path);
        if (relay->target_count == RELAY_TARGETS_MOST)
            return parse_error_set(fault, place, "a sink has at most %d addresses",
                                   RELAY_TARGETS_MOST);
        struct address *target = &relay->targets[relay->target_count++];
        if (!url_parse_authority(at, length, target, fault)) {
            fault->at += place;
            return false;
        }
        if (target->port == 0)
            return parse_error_set(fault, place, "port 0 is nobody's");
        if (address_is_wildcard(target))
            return parse_error_set(fault, place, "this stands for every address, and is no one's");
        at += length;
        if (*at == '\0')
            return true;
    }
}

/* Relays have a format of their own. */
static void set_relayed(const struct config_registry *registry, struct sink_config *sink,
                        const struct keys_given *given)
{
    if (!sink->destination->is_relay || keys_place(given, KEY_OF_SINK, "format") != KEY_NOT_GIVEN)
        return;
    for (size_t i = 0; registry->encoders[i] != NULL; i++)
        if (registry->encoders[i]->relayed)
            sink->encoder = registry->encoders[i];
}

/* On a terminal lines are for people, where no format was asked for; in its colours. */
static void set_for_people(const struct config_registry *registry, struct sink_config *sink,
                           const struct keys_given *given)
{
    enum terminal_kind kind = sink->destination->is_standard_output && registry->output != NULL
                                  ? registry->output()
                                  : TERMINAL_NONE;
    bool asked = keys_place(given, KEY_OF_SINK, "format") != KEY_NOT_GIVEN;
    for (size_t i = 0; kind != TERMINAL_NONE && !asked && registry->encoders[i] != NULL; i++)
        if (registry->encoders[i]->for_people)
            sink->encoder = registry->encoders[i];
    sink->encoding.colour = kind == TERMINAL_COLOUR && sink->encoder->for_people;
}

/* A relay passes datagrams on, and nothing else does. */
static bool check_relayed(const struct url *url, const struct sink_config *sink,
                          const struct keys_given *given, struct parse_error *fault)
{
    const char *name = sink->encoder->name;
    if (sink->encoder->relayed == sink->destination->is_relay)
        return true;
    size_t place = keys_place(given, KEY_OF_SINK, "format");
    if (sink->encoder->relayed)
        parse_error_set(fault, place,
                        "format=%s is for sinks that pass datagrams on; write udp:", name);
    else
        parse_error_set(fault, place, "format=%s is not what came; %s: passes datagrams on", name,
                        sink->destination->scheme);
    return wrong_keys(url, fault);
}

/* A format whose blocks are files of their own is for files, each of some time. */
static bool check_format(const struct url *url, const struct sink_config *sink,
                         const struct keys_given *given, struct parse_error *fault)
{
    const char *name = sink->encoder->name;
    if (sink->encoder->requests_alone && !sink->destination->is_http) {
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, "format"),
                        "format=%s is requests over HTTP; write http: or https:", name);
        return wrong_keys(url, fault);
    }
    if (sink->encoder->arrange == NULL || (sink->destination->is_file && !sink->at_once))
        return true;
    if (!sink->destination->is_file)
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, "format"),
                        "format=%s is complete files alone; write file:PATH", name);
    else
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, "flush_interval"),
                        "flush_interval=0, but format=%s writes a file for each flush_interval",
                        name);
    return wrong_keys(url, fault);
}

/* A format that writes samples cannot write messages, and one without lines has no choice. */
static bool check_view(const struct url *url, const struct sink_config *sink,
                       const struct keys_given *given, struct parse_error *fault)
{
    const struct encoder_ops *encoder = sink->encoder;
    size_t place = keys_place(given, KEY_OF_SINK, "view");
    enum sink_view view = sink->encoding.view;
    if (encoder->binary && view != VIEW_AUTO)
        parse_error_set(fault, place, "view=%s, but format=%s has no views", sink_view_names[view],
                        encoder->name);
    else if (encoder->needs_samples && (view == VIEW_MESSAGE || view == VIEW_RECORD))
        parse_error_set(fault, place, "view=%s, but format=%s writes samples alone",
                        sink_view_names[view], encoder->name);
    else
        return true;
    return wrong_keys(url, fault);
}

/* Rules about samples need samples, and none may undo another. */
static bool check_rules(const struct url *url, const struct sink_config *sink,
                        const struct keys_given *given, struct parse_error *fault)
{
    char key[QUOTED_SIZE];
    const char *rule = sample_rules_given(&sink->encoding.rules);
    const char *by;
    const struct text *dropped = rules_dropped_rename(&sink->encoding.rules, &by);
    if (rule != NULL && (sink->encoding.view == VIEW_MESSAGE || sink->encoding.view == VIEW_RECORD))
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, rule),
                        "%s= is about samples, but view=%s writes none", rule,
                        sink_view_names[sink->encoding.view]);
    else if (rule != NULL && sink->encoder->binary && !sink->encoder->needs_samples)
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, rule),
                        "%s= is about samples, but format=%s writes none", rule,
                        sink->encoder->name);
    else if (dropped != NULL)
        parse_error_set(fault, keys_place(given, KEY_OF_SINK, "rename_label"),
                        "rename_label has %s, but %s= leaves that out",
                        quoted(dropped->data, dropped->size, key), by);
    else
        return true;
    return wrong_keys(url, fault);
}

/* What is about names and buckets of Prometheus is for formats that have them. */
static bool check_prometheus(const struct url *url, const struct sink_config *sink,
                             const struct keys_given *given, struct parse_error *fault)
{
    const struct encoder_ops *encoder = sink->encoder;
    size_t buckets = keys_place(given, KEY_OF_SINK, "buckets");
    size_t suffix = keys_place(given, KEY_OF_SINK, "counter_suffix");
    if (buckets != KEY_NOT_GIVEN && !encoder->has_buckets)
        parse_error_set(fault, buckets,
                        "buckets= is about histograms as Prometheus has them, but "
                        "format=%s writes them otherwise",
                        encoder->name);
    else if (suffix != KEY_NOT_GIVEN && !encoder->has_suffixes)
        parse_error_set(fault, suffix,
                        "counter_suffix= is for format=prometheus and remote-write, "
                        "not for format=%s",
                        encoder->name);
    else
        return true;
    return wrong_keys(url, fault);
}

/* Properties are for a library to judge; `at` is where one stands in the text of its name. */
static bool check_property(const struct url *url, const struct sink_config *sink, size_t at,
                           size_t length, struct parse_error *fault)
{
    char text[PROPERTY_SIZE];
    struct error error;
    size_t name = strcspn(url->text + at, "=");
    if (length >= sizeof text)
        return parse_error_set(fault, at, "this property has more than %zu bytes", sizeof text - 1);
    memcpy(text, url->text + at, length);
    text[name] = text[length] = '\0';
    return sink->destination->takes_property(text, text + name + 1, &error) ||
           parse_error_set(fault, at, "%s", error.text);
}

static bool check_properties(const struct url *url, const struct sink_config *sink,
                             struct parse_error *fault)
{
    struct parse_error ignored;
    if (sink->destination->takes_property == NULL || url->keys == NULL)
        return true;
    size_t length;
    for (const char *at = url->keys; *at != '\0'; at += length + (at[length] == '&')) {
        length = strcspn(at, "&");
        const struct setting *key =
            key_find(keys_of_sink(sink->destination), at, strcspn(at, "="), &ignored);
        size_t prefix = key != NULL && key->open ? key_prefix(key) : 0;
        if (prefix != 0 &&
            !check_property(url, sink, (size_t)(at - url->text) + prefix, length - prefix, fault))
            return false;
    }
    return true;
}

/* A configuration that --print-config wrote has no secrets: they are not to be sent as "***". */
static bool check_masked(const struct url *url, const struct sink_config *sink,
                         struct parse_error *fault)
{
    const char *masked = strstr(sink->path, "***");
    size_t at = masked == NULL ? 0 : url->place_at + (size_t)(masked - sink->path);
    if (sink->destination->is_file ||
        (masked == NULL && (sink->http.query == NULL || strstr(sink->http.query, "***") == NULL)))
        return true;
    return parse_error_set(fault, at, "\"***\" is in place of what --print-config does not show; "
                                      "write that here again");
}

bool url_parse_sink(const char *url, const struct config_registry *registry,
                    struct sink_config *sink, struct parse_error *fault)
{
    sink->destination = find_destination(url, registry);
    if (sink->destination == NULL)
        return unknown_sink(url, registry, fault);
    struct url parts = split(url);
    if (!check_place(&parts, sink->destination, fault))
        return false;
    sink->name = text_copy(url, parts.place_at + parts.place_length);
    sink->path = text_copy(url + parts.place_at, parts.place_length);
    if (sink->name == NULL || sink->path == NULL)
        return parse_error_no_memory(fault);
    if (sink->destination->is_file)
        file_path_normalise(sink->path);
    if (sink->destination->is_relay && !parse_targets(&parts, sink, fault))
        return false;
    struct keys_given given = {{0}};
    unsigned scopes = keys_of_sink(sink->destination);
    if (parts.keys != NULL && !keys_parse(scopes, registry, parts.keys, sink, &given, fault)) {
        if (sink->destination->place_is_command) /* it may well have had a "?" of its own */
            parse_error_append(fault,
                               "; the %s ends at its first \"?\": put a longer one into a script",
                               sink->destination->place);
        return wrong_keys(&parts, fault);
    }
    if (!keys_apply_defaults(scopes, registry, &given, sink, fault))
        return false;
    if (!check_masked(&parts, sink, fault))
        return false;
    set_collecting(sink, &given);
    set_relayed(registry, sink, &given);
    set_for_people(registry, sink, &given);
    return check_relayed(&parts, sink, &given, fault) &&
           check_format(&parts, sink, &given, fault) && check_view(&parts, sink, &given, fault) &&
           check_spill(&parts, sink, &given, fault) && check_tls(&parts, sink, &given, fault) &&
           check_http(&parts, sink, &given, fault) && check_rules(&parts, sink, &given, fault) &&
           check_prometheus(&parts, sink, &given, fault) &&
           check_path(&parts, sink, &given, fault) && check_properties(&parts, sink, fault);
}

bool url_is_sink(const char *text, const struct config_registry *registry)
{
    return find_destination(text, registry) != NULL;
}

size_t url_command_length(const char *text, const struct config_registry *registry)
{
    const struct destination_ops *destination = find_destination(text, registry);
    return destination != NULL && destination->place_is_command ? strcspn(text, "?") : 0;
}

/* --- dead letters ----------------------------------------------------------------------------- */

bool url_parse_dead_letter(const char *url, const struct config_registry *registry,
                           struct dead_letter_config *letters, struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    if (!starts_with_scheme(url, "file"))
        return parse_error_set(fault, 0, "%s is no file; write file:PATH",
                               quoted(url, strcspn(url, "?"), given));
    struct url parts = split(url); /* there is a colon */
    const char *place = url + parts.place_at;
    if (parts.place_length == 0)
        return parse_error_set(fault, parts.place_at, "the path is missing; write file:PATH");
    const char *percent = memchr(place, '%', parts.place_length);
    if (percent != NULL)
        return parse_error_set(fault, (size_t)(percent - url),
                               "\"%%\" in a path is reserved for fields of time");
    letters->name = text_copy(url, parts.place_at + parts.place_length);
    letters->path = text_copy(place, parts.place_length);
    if (letters->name == NULL || letters->path == NULL)
        return parse_error_no_memory(fault);
    file_path_normalise(letters->path);
    size_t at;
    const char *why = file_path_fault(letters->path, &at);
    if (why != NULL)
        return parse_error_set(fault, parts.place_at + at, "%s", why);
    struct keys_given given_keys = {{0}};
    if (parts.keys != NULL &&
        !keys_parse(KEY_OF_LETTERS, registry, parts.keys, letters, &given_keys, fault))
        return wrong_keys(&parts, fault);
    return keys_apply_defaults(KEY_OF_LETTERS, registry, &given_keys, letters, fault);
}

/* --- places ----------------------------------------------------------------------------------- */

static struct url_place place_of(const char *text, bool is_path, bool is_template)
{
    struct url url = split(text);
    return (struct url_place){url.place_at, url.place_length, is_path, is_template};
}

struct url_place url_place_of_listener(const char *url, const struct config_registry *registry)
{
    const struct source_ops *source = find_source(url, registry);
    return place_of(url, source != NULL && source->place == PLACE_PATH, false);
}

struct url_place url_place_of_sink(const char *url, const struct config_registry *registry)
{
    const struct destination_ops *destination = find_destination(url, registry);
    bool is_file = destination != NULL && destination->is_file;
    return place_of(url, is_file, is_file);
}

struct url_place url_place_of_dead_letter(const char *url)
{
    return place_of(url, true, false);
}
