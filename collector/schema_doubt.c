#include "collector/schema_doubt.h"

#include "collector/log.h"
#include "collector/schema.h"

#define STRANGE_ENOUGH 3

static bool has_sample(const struct record *record, struct arena *scratch)
{
    const struct arena before = *scratch;
    struct schema_cursor cursor = {.scratch = scratch};
    struct sample sample;
    bool found =
        record->schema->ops->next_sample(record->schema, record->message, &cursor, &sample);
    *scratch = before;
    return found;
}

void schema_doubt_look(struct schema_doubt *doubt, const char *listener,
                       const struct record *record, size_t unknown_fields, struct arena *scratch)
{
    if (doubt->settled)
        return;
    bool strange =
        unknown_fields != 0 && record->schema->has_samples && !has_sample(record, scratch);
    doubt->strange += strange;
    doubt->settled = !strange || doubt->strange == STRANGE_ENOUGH;
    if (strange && doubt->settled)
        log_about(LOG_WARNING, LOG_OF_LISTENER, listener,
                  "the first messages hold fields that %s does not know, and no sample: is "
                  "schema= right?",
                  record->schema->name);
}
