#include "collector/config/config_secrets.h"

#include <stdlib.h>
#include <string.h>

#include "collector/config/config_walk.h"
#include "collector/text/secret_url.h"

static bool is_command(const struct config_value *value)
{
    static const char scheme[] = "command:";
    return value->length >= sizeof scheme - 1 &&
           memcmp(value->text, scheme, sizeof scheme - 1) == 0;
}

static bool url_has_secret(const char *text, size_t length)
{
    char *blanked = malloc(length + 1);
    if (blanked == NULL)
        return true;
    memcpy(blanked, text, length);
    secret_url_blank(blanked, length);
    bool has = memcmp(blanked, text, length) != 0;
    free(blanked);
    return has;
}

static void find_secret(void *context, const struct config_value *value)
{
    bool *found = context;
    if (value->setting == NULL)
        *found = *found || (value->part == CONFIG_OF_SINK && !is_command(value) &&
                            url_has_secret(value->text, value->length));
    else if (value->origin.by != PROVENANCE_DEFAULT)
        *found = *found || value->setting->secret || value->setting->secret_file;
}

bool config_has_secrets(const struct config *config, const struct config_registry *registry)
{
    bool found = false;
    config_walk(config, registry, find_secret, &found);
    return found;
}
