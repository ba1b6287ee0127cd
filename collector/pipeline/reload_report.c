#include "collector/pipeline/reload_report.h"

#include <stdio.h>
#include <string.h>

#include "collector/config/option_table.h"
#include "collector/config/provenance.h"
#include "collector/log/log.h"

/* --- names ------------------------------------------------------------------------------------ */

static bool has_name(const struct reload_names *to, const char *name, size_t length)
{
    for (const char *at = to->names; *at != '\0'; at += at[0] == ',' ? 2 : 0) {
        size_t size = strcspn(at, ",");
        if (size == length && memcmp(at, name, length) == 0)
            return true;
        at += size;
    }
    return false;
}

static void add_name(struct reload_names *to, const char *name, size_t length)
{
    static const char more[] = ", ...";
    size_t used = strlen(to->names);
    if (has_name(to, name, length) || has_name(to, more + 2, sizeof more - 3))
        return;
    if (used + length + 2 + sizeof more > sizeof to->names)
        snprintf(to->names + used, sizeof to->names - used, "%s", more);
    else
        snprintf(to->names + used, sizeof to->names - used, "%s%.*s", used == 0 ? "" : ", ",
                 (int)length, name);
}

/* --- keys ------------------------------------------------------------------------------------- */

static const char *keys_of(const char *url)
{
    const char *mark = strchr(url, '?');
    return mark == NULL ? "" : mark + 1;
}

static bool has_pair(const char *keys, const char *pair, size_t length)
{
    for (; *keys != '\0'; keys += *keys == '&') {
        size_t size = strcspn(keys, "&");
        if (size == length && memcmp(keys, pair, length) == 0)
            return true;
        keys += size;
    }
    return false;
}

/*
 * Adds the names of those keys of `url` that `other` does not have with the same value. Returns
 * true if there is such a key.
 */
static bool add_differing(struct reload_names *to, const char *url, const char *other)
{
    bool differs = false;
    for (const char *keys = keys_of(url); *keys != '\0'; keys += *keys == '&') {
        size_t size = strcspn(keys, "&");
        if (!has_pair(keys_of(other), keys, size)) {
            add_name(to, keys, strcspn(keys, "=&"));
            differs = true;
        }
        keys += size;
    }
    return differs;
}

static void compare_urls(struct reload_names *to, const char *from, const char *url)
{
    bool added = add_differing(to, url, from);
    bool removed = add_differing(to, from, url);
    to->count += added || removed;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Returns the value of an option that is not repeatable, or "" if the option was not given. */
static const char *value_of(const struct config *config, const struct option *option)
{
    const struct provenance *provenance = config->provenance;
    for (size_t i = 0; i < provenance->count; i++)
        if (provenance->entries[i].option == option)
            return provenance->entries[i].text.data;
    return "";
}

static void compare_options(struct reload_names *to, const struct config *from,
                            const struct config *config)
{
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        if (option->action == OPTION_VALUE &&
            strcmp(value_of(from, option), value_of(config, option)) != 0) {
            add_name(to, option->setting.name, strlen(option->setting.name));
            to->count++;
        }
}

/* --- the whole report ------------------------------------------------------------------------- */

void reload_report_make(struct reload_report *report, const struct config *from,
                        const struct config *to, const struct change *change)
{
    *report = (struct reload_report){.listeners_before = from->listener_count,
                                     .sinks_before = from->sink_count};
    for (size_t i = 0; i < to->listener_count; i++)
        if (change->listeners[i] != PIPELINE_NEW)
            compare_urls(&report->listeners, from->listeners[change->listeners[i]].url,
                         to->listeners[i].url);
    for (size_t i = 0; i < to->sink_count; i++)
        for (size_t k = 0; k < from->sink_count && change->sinks[i] == PIPELINE_NEW; k++)
            if (strcmp(from->sinks[k].name, to->sinks[i].name) == 0 &&
                !pipeline_is_kept(change->sinks, to->sink_count, k))
                compare_urls(&report->sinks, from->sinks[k].url, to->sinks[i].url);
    if (from->provenance != NULL && to->provenance != NULL)
        compare_options(&report->options, from, to);
}

/* Writes " (1 changed: allow)", or "" if none has changed. */
static const char *put_changed(const struct reload_names *names, char *text, size_t size)
{
    text[0] = '\0';
    if (names->count != 0)
        snprintf(text, size, " (%zu changed: %s)", names->count, names->names);
    return text;
}

static size_t count_new(const size_t *list, size_t count)
{
    size_t added = 0;
    for (size_t i = 0; i < count; i++)
        added += list[i] == PIPELINE_NEW;
    return added;
}

void reload_report_log(const struct reload_report *report, const struct config *to,
                       const struct change *change)
{
    char listeners[RELOAD_NAMES_SIZE + 40], sinks[RELOAD_NAMES_SIZE + 40];
    size_t new_listeners = count_new(change->listeners, to->listener_count);
    size_t new_sinks = count_new(change->sinks, to->sink_count);
    size_t kept_listeners = to->listener_count - new_listeners;
    size_t kept_sinks = to->sink_count - new_sinks;
    log_line(LOG_INFO,
             "configuration reloaded: listeners: %zu kept%s, %zu added, %zu removed; sinks: %zu "
             "kept, %zu added, %zu removed%s%s%s",
             kept_listeners, put_changed(&report->listeners, listeners, sizeof listeners),
             new_listeners, report->listeners_before - kept_listeners, kept_sinks, new_sinks,
             report->sinks_before - kept_sinks, put_changed(&report->sinks, sinks, sizeof sinks),
             report->options.count == 0 ? "" : "; options changed: ", report->options.names);
}
