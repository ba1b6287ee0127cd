#include "sinks/encoders/time_text.h"

#include "collector/text/compiler.h"
#include "collector/text/decimal.h"
#include "collector/text/json_writer.h"

static NEVER_INLINE void set(struct time_text *time, int64_t nanoseconds, int64_t second)
{
    struct output out = {.data = time->text, .capacity = TIME_TEXT_SIZE};
    json_time(&out, nanoseconds);
    time->nanoseconds = nanoseconds;
    time->second = second;
}

void time_text_init(struct time_text *time)
{
    set(time, 0, 0);
}

void time_text_update(struct time_text *time, int64_t nanoseconds)
{
    if (nanoseconds == time->nanoseconds)
        return;
    int64_t second = nanoseconds / 1000000000;
    int64_t fraction = nanoseconds % 1000000000;
    if (fraction < 0) {
        fraction += 1000000000;
        second--;
    }
    if (second != time->second) {
        set(time, nanoseconds, second);
        return;
    }
    time->nanoseconds = nanoseconds;
    time->text[21] = (char)('0' + fraction / 100000000);
    decimal_put_8(time->text + 22, (uint32_t)(fraction % 100000000));
}
