/* Implements collector/config/yaml_reading.h in a program without libyaml. */
#include "collector/config/yaml_reading.h"

#include <stddef.h>

struct yaml_reading *yaml_reading_begin(const char *text, size_t length)
{
    (void)text;
    (void)length;
    return NULL;
}

bool yaml_reading_next(struct yaml_reading *reading, struct yaml_piece *piece,
                       struct parse_error *fault, struct provenance_mark *mark)
{
    (void)reading;
    (void)piece;
    (void)mark;
    return parse_error_no_memory(fault);
}

void yaml_reading_end(struct yaml_reading *reading)
{
    (void)reading;
}

const char *yaml_reading_version(void)
{
    return NULL;
}
