#include "collector/config/key_place.h"

#include <stdio.h>
#include <string.h>

#include "collector/config/config.h"
#include "collector/config/option_table.h"
#include "collector/config/provenance.h"

static void write_place(const struct provenance *provenance, const struct provenance_entry *entry,
                        size_t at, char *place, size_t size)
{
    struct provenance_mark mark = provenance_text_mark(&entry->text, at);
    snprintf(place, size, "%s:%zu:%zu", provenance->files[entry->file], mark.line, mark.column);
}

/* Returns the entry of the listener at `written_at`, or NULL. Uses `place` as a buffer. */
static const struct provenance_entry *find_entry(const struct provenance *provenance,
                                                 const char *written_at, char *place, size_t size)
{
    for (size_t i = 0; i < provenance->count; i++) {
        const struct provenance_entry *entry = &provenance->entries[i];
        if (entry->by != PROVENANCE_FILE || entry->option->action != OPTION_LISTEN)
            continue;
        write_place(provenance, entry, 0, place, size);
        if (strcmp(place, written_at) == 0)
            return entry;
    }
    return NULL;
}

static bool is_called(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '=';
}

/* Finds a key of schema number `schema` (from 0). Each "schema=" begins the keys of one schema. */
static bool find_key(const char *url, size_t schema, const char *key, size_t *at)
{
    size_t begun = 0;
    for (const char *c = strchr(url, '?'); c != NULL; c = strchr(c, '&')) {
        c++;
        begun += is_called(c, "schema");
        if (begun != schema + 1 || !is_called(c, key))
            continue;
        *at = (size_t)(c - url);
        return true;
    }
    return false;
}

bool key_place_of_schema(const struct config *config, const char *written_at, size_t schema,
                         const char *key, char *place, size_t size)
{
    size_t at;
    if (config->provenance == NULL || written_at == NULL)
        return false;
    const struct provenance_entry *entry = find_entry(config->provenance, written_at, place, size);
    if (entry == NULL || !find_key(entry->text.data, schema, key, &at))
        return false;
    write_place(config->provenance, entry, at, place, size);
    return true;
}
