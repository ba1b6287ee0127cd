#include "proto/made_text.h"

#include "collector/base/rule.h"

void made_text_forget(struct schema_cursor *cursor)
{
    if (cursor->made == 0)
        return;
    RULE(cursor->scratch->used >= cursor->made, "a made text is in the scratch arena");
    cursor->scratch->used -= cursor->made;
    cursor->made = 0;
}

struct output made_text_begin(const struct schema_cursor *cursor)
{
    const struct arena *scratch = cursor->scratch;
    RULE(cursor->made == 0, "a step of a walk makes one text at most");
    return (struct output){.data = (char *)(scratch->base + scratch->used),
                           .capacity = scratch->capacity - scratch->used};
}

struct text made_text_end(struct schema_cursor *cursor, const struct output *out)
{
    size_t before = cursor->scratch->used;
    if (out->overflow)
        cursor->scratch->exhausted = true;
    else if (arena_allocate(cursor->scratch, out->used) != NULL)
        cursor->made = cursor->scratch->used - before;
    return cursor->made == 0 ? (struct text){"", 0} : (struct text){out->data, out->used};
}
