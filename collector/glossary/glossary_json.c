#include "collector/glossary/glossary_json.h"

#include "collector/glossary/glossary.h"
#include "collector/text/json_writer.h"

static void put_text(struct output *out, const char *key, const char *text)
{
    if (text[0] != '\0')
        json_member_text(out, key, text);
}

static void json_put_entry(struct output *out, const struct glossary_entry *entry)
{
    json_object_begin(out);
    json_member_text(out, "name", entry->name);
    json_member_text(out, "kind", glossary_kinds[entry->kind].title);
    put_text(out, "syntax", entry->syntax);
    put_text(out, "what", entry->what);
    put_text(out, "remedy", entry->remedy);
    put_text(out, "default", entry->default_text);
    json_member_text(out, "see", glossary_kinds[entry->kind].page);
    json_object_end(out);
}

void glossary_json_write(const struct config_registry *registry, struct output *out)
{
    struct glossary *glossary = glossary_create(registry);
    json_array_begin(out);
    for (size_t i = 0; glossary != NULL && i < glossary->count; i++)
        json_put_entry(out, &glossary->entries[i]);
    json_array_end(out);
    glossary_destroy(glossary);
}
