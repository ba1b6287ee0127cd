#include "sinks/encoders/line_time.h"

void line_time_set(struct line_time *end, int64_t time_ns, line_time_writer *write)
{
    struct output out = {.data = end->text, .capacity = sizeof end->text};
    output_char(&out, ' ');
    write(&out, time_ns);
    output_char(&out, '\n');
    end->time_ns = time_ns;
    end->size = out.used;
}
