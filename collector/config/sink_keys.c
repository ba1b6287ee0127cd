#include "collector/config/sink_keys.h"

#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/rules.h"

/* The maximum number of bytes of a property with its name, including the NUL. */
#define PROPERTY_SIZE 1024

static unsigned scopes_of(const struct sink_keys *keys)
{
    return keys_of_sink(keys->sink->destination);
}

static size_t sink_key_offset(const struct sink_keys *keys, const char *name)
{
    return keys_place(&keys->given, scopes_of(keys), name);
}

static bool is_given(const struct sink_keys *keys, const char *name)
{
    return sink_key_offset(keys, name) != KEY_NOT_GIVEN;
}

bool sink_keys_parse(struct sink_keys *keys, const char *text, struct parse_error *fault)
{
    unsigned scopes = scopes_of(keys);
    keys->text = text;
    return (text == NULL ||
            keys_parse(scopes, keys->registry, text, keys->sink, &keys->given, fault)) &&
           keys_apply_defaults(scopes, keys->registry, &keys->given, keys->sink, fault);
}

/* --- derived values --------------------------------------------------------------------------- */

/* Sets the default flush interval for formats and compressions that need many records at once. */
static void set_collecting(struct sink_keys *keys)
{
    const uint64_t second = 1000000000;
    struct sink_config *sink = keys->sink;
    bool asked = is_given(keys, "flush_interval");
    sink->settings.at_once = asked && sink->settings.flush_interval == 0;
    if (asked)
        return;
    if (sink->settings.encoder->arrange != NULL)
        sink->settings.flush_interval = 10 * second;
    else if (sink->settings.file.compression != NULL || sink->destination->takes == TAKES_BLOCKS)
        sink->settings.flush_interval = second;
}

/*
 * Sets the default format. Relays have a format of their own. A terminal gets lines for people, in
 * colour if it supports colour.
 */
static void set_format(struct sink_keys *keys)
{
    const struct config_registry *registry = keys->registry;
    struct sink_config *sink = keys->sink;
    enum terminal_kind kind = sink->destination->is_standard_output && registry->output != NULL
                                  ? registry->output()
                                  : TERMINAL_NONE;
    bool is_relay = sink->destination->takes == TAKES_DATAGRAMS;
    for (size_t i = 0; !is_given(keys, "format") && registry->encoders[i] != NULL; i++)
        if ((is_relay && registry->encoders[i]->relayed) ||
            (kind != TERMINAL_NONE && registry->encoders[i]->for_people))
            sink->settings.encoder = registry->encoders[i];
    sink->settings.encoding.colour = kind == TERMINAL_COLOUR && sink->settings.encoder->for_people;
}

/* --- checks ----------------------------------------------------------------------------------- */

/* Checks that only relays forward datagrams, and only in a format for relays. */
static bool check_relayed(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct sink_config *sink = keys->sink;
    const char *name = sink->settings.encoder->name;
    if (sink->settings.encoder->relayed == (sink->destination->takes == TAKES_DATAGRAMS))
        return true;
    if (sink->settings.encoder->relayed)
        return parse_error_set(
            fault, sink_key_offset(keys, "format"),
            "format=%s is only for sinks that forward datagrams; write udp:", name);
    return parse_error_set(fault, sink_key_offset(keys, "format"),
                           "format=%s does not write datagrams; %s: only forwards datagrams", name,
                           sink->destination->scheme);
}

/*
 * Checks that the destination fits the format: some formats write HTTP requests, and formats with
 * `arrange` write complete files, which need an interval between files.
 */
static bool check_format(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct sink_config *sink = keys->sink;
    const char *name = sink->settings.encoder->name;
    if (sink->settings.encoder->requests_alone && !sink->destination->sends_requests)
        return parse_error_set(fault, sink_key_offset(keys, "format"),
                               "format=%s writes HTTP requests; write http: or https:", name);
    if (sink->settings.encoder->arrange == NULL)
        return true;
    if (sink->destination->place_is != PLACE_FILES)
        return parse_error_set(fault, sink_key_offset(keys, "format"),
                               "format=%s writes only complete files; write file:PATH", name);
    return !sink->settings.at_once ||
           parse_error_set(fault, sink_key_offset(keys, "flush_interval"),
                           "flush_interval=0, but format=%s writes a file for each flush_interval",
                           name);
}

/*
 * Refuses a view of messages for a format that writes only samples, and any view for a binary
 * format.
 */
static bool check_view(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct encoder_ops *encoder = keys->sink->settings.encoder;
    enum sink_view view = keys->sink->settings.encoding.view;
    if (encoder->binary && view != VIEW_AUTO)
        return parse_error_set(fault, sink_key_offset(keys, "view"),
                               "view=%s, but format=%s has no views", sink_view_names[view],
                               encoder->name);
    return !encoder->needs_samples || (view != VIEW_MESSAGE && view != VIEW_RECORD) ||
           parse_error_set(fault, sink_key_offset(keys, "view"),
                           "view=%s, but format=%s writes only samples", sink_view_names[view],
                           encoder->name);
}

static bool check_spill(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct sink_config *sink = keys->sink;
    if (sink->destination->takes != TAKES_BLOCKS)
        return true;
    if (sink->settings.delivery.spill != NULL)
        return sink->settings.delivery.retry != RETRY_AT_MOST_ONCE ||
               parse_error_set(fault, sink_key_offset(keys, "retry"),
                               "retry=at_most_once and spill= exclude each other: records on disk "
                               "are sent until they are acknowledged");
    if (is_given(keys, "spill_size"))
        return parse_error_set(fault, sink_key_offset(keys, "spill_size"),
                               "spill_size requires spill=FOLDER");
    return !is_given(keys, "fsync") || parse_error_set(fault, sink_key_offset(keys, "fsync"),
                                                       "fsync requires spill=FOLDER here");
}

/* Checks that on_epipe= is given only for sinks that write bytes to a file, pipe or command. */
static bool check_on_epipe(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct destination_ops *destination = keys->sink->destination;
    return destination->takes == TAKES_BYTES || !is_given(keys, "on_epipe") ||
           parse_error_set(fault, sink_key_offset(keys, "on_epipe"),
                           "on_epipe= is for pipes, and %s: writes to no pipe",
                           destination->scheme);
}

static const char *first_given(const struct sink_keys *keys, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_given(keys, names[i]))
            return names[i];
    return NULL;
}

static bool check_tls(const struct sink_keys *keys, struct parse_error *fault)
{
    static const char *const names[] = {"server_ca", "client_cert", "client_key"};
    const struct client_tls *tls = &keys->sink->settings.tls;
    const struct destination_ops *destination = keys->sink->destination;
    const char *key = first_given(keys, names, sizeof names / sizeof names[0]);
    if (key != NULL && !destination->encrypts && !keys->sink->settings.broker.tls)
        return parse_error_set(fault, sink_key_offset(keys, key), "%s= is for TLS: write %s", key,
                               destination->sends_requests ? "https:" : "tls=on");
    return tls->key == NULL || tls->cert != NULL ||
           parse_error_set(fault, sink_key_offset(keys, "client_key"),
                           "client_key requires client_cert=FILE");
}

/* Checks that a request has at most one Authorization header and one compression. */
static bool check_http(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct sink_config *sink = keys->sink;
    const struct encoder_request *request = sink->settings.encoder->request;
    if (!sink->destination->sends_requests)
        return true;
    if (sink->settings.http.token_file != NULL && sink->settings.http.password_file != NULL)
        return parse_error_set(
            fault, sink_key_offset(keys, "password_file"),
            "token_file and password_file set the same header; give only one of them");
    return sink->settings.file.compression == NULL || request == NULL ||
           request->shapes[0].content_encoding == NULL ||
           parse_error_set(fault, sink_key_offset(keys, "compress"),
                           "format=%s is already compressed with %s", sink->settings.encoder->name,
                           request->shapes[0].content_encoding);
}

/*
 * Checks that a sink with sample rules writes samples, and that its rules do not contradict each
 * other.
 */
static bool check_rules(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct encoder_options *encoding = &keys->sink->settings.encoding;
    const struct encoder_ops *encoder = keys->sink->settings.encoder;
    char key[QUOTED_SIZE];
    const char *rule = sample_rules_given(&encoding->rules);
    const char *by;
    const struct text *dropped = rules_dropped_rename(&encoding->rules, &by);
    if (rule != NULL && (encoding->view == VIEW_MESSAGE || encoding->view == VIEW_RECORD))
        return parse_error_set(fault, sink_key_offset(keys, rule),
                               "%s= is about samples, but view=%s writes none", rule,
                               sink_view_names[encoding->view]);
    if (rule != NULL && encoder->binary && !encoder->needs_samples)
        return parse_error_set(fault, sink_key_offset(keys, rule),
                               "%s= is about samples, but format=%s writes none", rule,
                               encoder->name);
    return dropped == NULL || parse_error_set(fault, sink_key_offset(keys, "rename_label"),
                                              "rename_label has %s, but %s= drops that label",
                                              quoted(dropped->data, dropped->size, key), by);
}

static const char *given_limit(const struct sink_keys *keys)
{
    static const char *const names[] = {
        "max_series", "max_series_per_sender", "series_timeout", "max_age", "max_ahead", "time"};
    return first_given(keys, names, sizeof names / sizeof names[0]);
}

static bool check_limits(const struct sink_keys *keys, struct parse_error *fault)
{
    struct encoder_options *encoding = &keys->sink->settings.encoding;
    const struct encoder_ops *encoder = keys->sink->settings.encoder;
    const char *limit = encoding->limits.given = given_limit(keys);
    if (limit == NULL)
        return true;
    if (encoding->view == VIEW_MESSAGE || encoding->view == VIEW_RECORD)
        return parse_error_set(fault, sink_key_offset(keys, limit),
                               "%s= is about samples, but view=%s writes none", limit,
                               sink_view_names[encoding->view]);
    if (encoder->binary && !encoder->needs_samples)
        return parse_error_set(fault, sink_key_offset(keys, limit),
                               "%s= is about samples, but format=%s writes none", limit,
                               encoder->name);
    return encoding->limits.time == SAMPLE_TIME_OWN || series_limits_times(&encoding->limits) ||
           parse_error_set(fault, sink_key_offset(keys, "time"),
                           "time=arrival requires max_age= or max_ahead=");
}

static bool check_of_formats(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct encoder_ops *encoder = keys->sink->settings.encoder;
    const struct {
        const char *key, *formats;
        bool fits;
    } rows[] = {
        {"buckets", "formats with Prometheus histograms", encoder->has_buckets},
        {"counter_suffix", "format=prometheus and remote-write", encoder->has_suffixes},
        {"native_histograms", "format=remote-write", encoder->has_native},
        {"exemplars", "format=remote-write", encoder->has_native},
        {"numbers", "format=influx", encoder->has_typed_numbers},
        {"columns", "format=csv", encoder->has_columns},
        {"names", "format=json and text", encoder->has_json},
        {"int64", "format=json and text", encoder->has_json},
        {"unknown", "format=json and text", encoder->has_json},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_given(keys, rows[i].key) && !rows[i].fits)
            return parse_error_set(fault, sink_key_offset(keys, rows[i].key),
                                   "%s= is for %s, not for format=%s", rows[i].key, rows[i].formats,
                                   encoder->name);
    return true;
}

/*
 * Checks that schema_id=, the head for a schema registry, is given only for messages of one
 * protobuf record each.
 */
static bool check_schema_id(const struct sink_keys *keys, struct parse_error *fault)
{
    const struct sink_settings *settings = &keys->sink->settings;
    if (settings->encoding.head.size == 0)
        return true;
    if (!settings->encoder->has_head)
        return parse_error_set(fault, sink_key_offset(keys, "schema_id"),
                               "schema_id= is for format=protobuf, not for format=%s",
                               settings->encoder->name);
    return settings->broker.per != MESSAGE_BLOCK ||
           parse_error_set(fault, sink_key_offset(keys, "per"),
                           "per=block, but schema_id= is for messages of one record");
}

/*
 * Lets the destination check a property, with the library that will use it. `at` is the offset of
 * the property's name in the keys.
 */
static bool check_property(const struct sink_keys *keys, size_t at, size_t length,
                           struct parse_error *fault)
{
    char text[PROPERTY_SIZE];
    struct error error;
    size_t name = strcspn(keys->text + at, "=");
    if (length >= sizeof text)
        return parse_error_set(fault, at, "this property has more than %zu bytes", sizeof text - 1);
    memcpy(text, keys->text + at, length);
    text[name] = text[length] = '\0';
    return keys->sink->destination->takes_property(text, text + name + 1, &error) ||
           parse_error_set(fault, at, "%s", error.text);
}

static bool check_properties(const struct sink_keys *keys, struct parse_error *fault)
{
    struct parse_error ignored;
    if (keys->sink->destination->takes_property == NULL || keys->text == NULL)
        return true;
    size_t length;
    for (const char *at = keys->text; *at != '\0'; at += length + (at[length] == '&')) {
        length = strcspn(at, "&");
        const struct setting *key = key_find(scopes_of(keys), at, strcspn(at, "="), &ignored);
        size_t prefix = key != NULL && key->open ? key_prefix(key) : 0;
        if (prefix != 0 &&
            !check_property(keys, (size_t)(at - keys->text) + prefix, length - prefix, fault))
            return false;
    }
    return true;
}

bool sink_keys_complete(struct sink_keys *keys, struct parse_error *fault)
{
    static bool (*const checks[])(const struct sink_keys *keys, struct parse_error *fault) = {
        check_relayed, check_format,     check_view,      check_spill,
        check_tls,     check_http,       check_on_epipe,  check_rules,
        check_limits,  check_of_formats, check_schema_id, check_properties};
    RULE(keys->sink->destination != NULL && keys->sink->settings.encoder != NULL,
         "keys are completed after they were parsed");
    set_collecting(keys);
    set_format(keys);
    for (size_t i = 0; i < sizeof checks / sizeof checks[0]; i++)
        if (!checks[i](keys, fault))
            return false;
    return true;
}

/* --- files ------------------------------------------------------------------------------------ */

static const char *given_keep(const struct sink_keys *keys)
{
    static const char *const names[] = {"keep", "keep_time", "keep_size"};
    return first_given(keys, names, sizeof names / sizeof names[0]);
}

bool sink_keys_check_files(const struct sink_keys *keys, const struct path_fields *path,
                           struct parse_error *fault)
{
    const struct encoder_ops *encoder = keys->sink->settings.encoder;
    const struct file_options *file = &keys->sink->settings.file;
    const char *rotate = file->rotate_size != 0       ? "rotate_size"
                         : file->rotate_interval != 0 ? "rotate_interval"
                                                      : NULL;
    const char *keep = given_keep(keys);
    const char *whole = rotate != NULL              ? rotate
                        : file->compression != NULL ? "compress"
                        : encoder->arrange != NULL  ? "format"
                                                    : NULL;
    if (is_given(keys, "on_epipe") && (whole != NULL || path->time || path->values))
        return parse_error_set(fault, sink_key_offset(keys, "on_epipe"),
                               "on_epipe= is for pipes, and a sink with %s%s writes to none",
                               whole != NULL ? whole : "fields in its path",
                               whole != NULL ? "=" : "");
    if (encoder->arrange != NULL && rotate != NULL)
        return parse_error_set(
            fault, sink_key_offset(keys, rotate),
            "format=%s writes a file for each flush_interval and cannot rotate otherwise",
            encoder->name);
    if (keep != NULL && rotate == NULL && encoder->arrange == NULL && !path->time)
        return parse_error_set(
            fault, sink_key_offset(keys, keep),
            "%s requires rotation: rotate_size, rotate_interval, or a field of time in the path",
            keep);
    if (file->keep_size != 0 && file->keep_size < file->rotate_size)
        return parse_error_set(
            fault, sink_key_offset(keys, "keep_size"),
            "keep_size is less than rotate_size: no complete file would be kept");
    return !is_given(keys, "max_files") || path->values ||
           parse_error_set(fault, sink_key_offset(keys, "max_files"),
                           "max_files requires a path with a field of values, such as %%{source}");
}
