#include "tests/support/config/listener_reading.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/url.h"
#include "tests/support/test.h"

static struct config config;

int listener_reading_tear_down(void **state)
{
    (void)state;
    config_free(&config);
    return 0;
}

static bool read_url(const char *url, const struct config_registry *registry,
                     struct parse_error *fault)
{
    config_free(&config);
    config.listeners = calloc(1, sizeof *config.listeners);
    assert_non_null(config.listeners);
    config.listener_count = 1;
    *fault = (struct parse_error){0};
    return url_parse_listener(url, registry, config.listeners, fault);
}

const struct listener_config *listener_accepted(const char *url,
                                                const struct config_registry *registry)
{
    struct parse_error fault;
    if (!read_url(url, registry, &fault))
        fail_msg("'%s': %s", url, fault.text);
    return config.listeners;
}

void listener_refused(const char *url, const struct config_registry *registry, const char *at,
                      const char *why)
{
    struct parse_error fault;
    if (read_url(url, registry, &fault))
        fail_msg("'%s' was accepted", url);
    if (strstr(fault.text, why) == NULL)
        fail_msg("'%s': %s\nshould say: %s", url, fault.text, why);
    if (strncmp(url + fault.at, at, strlen(at)) != 0)
        fail_msg("'%s': %s: at '%s', not '%s'", url, fault.text, url + fault.at, at);
}
