#include "tests/fuzz/limits.h"

#include <stdlib.h>
#include <string.h>

#include "collector/series/series_guard.h"
#include "tests/fuzz/target.h"

/* More than the encoded bytes of any record in these tests. */
#define ROOM ((size_t)8 * 1024 * 1024)

#define MANY 4096
#define FEW  2

struct limited {
    struct series_guard *guard;
    struct encoder *encoder;
    struct output out;
};

static struct limited limited_open(const struct encoder_ops *ops,
                                   const struct encoder_options *options, uint64_t series,
                                   char *room)
{
    struct error error;
    const struct series_limits limits = {
        .max_series = series, .max_per_sender = series, .timeout = SERIES_TIMEOUT_DEFAULT};
    struct encoder_options with = *options;
    struct limited limited = {.guard = series_guard_create(&limits, &error),
                              .out = {.data = room, .capacity = ROOM}};
    if (limited.guard == NULL)
        abort();
    /* A fixed key, so that each run is the same. */
    limited.guard->key = (struct fingerprint_key){{1, 2, 3, 4}};
    with.limits = limits;
    with.series = limited.guard;
    limited.encoder = ops->create(&with);
    if (limited.encoder == NULL)
        abort();
    return limited;
}

static void limited_close(struct limited *limited)
{
    limited->encoder->ops->destroy(limited->encoder);
    series_guard_destroy(limited->guard);
}

static struct encoded limited_encode(struct limited *limited, const struct record *record)
{
    limited->out.used = 0;
    limited->out.overflow = false;
    return limited->encoder->ops->encode(limited->encoder, record->listener, record, &limited->out);
}

static void check_many(const struct encoder_ops *ops, const struct encoder_options *options,
                       const struct record *record, const struct encoded *written, char *room)
{
    struct limited many = limited_open(ops, options, MANY, room);
    struct encoded encoded = limited_encode(&many, record);
    if (!many.out.overflow && encoded.series_refused == 0)
        EXPECT(encoded.samples == written->samples && encoded.lines == written->lines,
               "%s: a limit that is not reached leaves samples out", ops->name);
    EXPECT(series_table_count(many.guard->table) <= MANY, "%s: too many series", ops->name);
    limited_close(&many);
}

static void check_few(const struct encoder_ops *ops, const struct encoder_options *options,
                      const struct record *record, const struct encoded *written, char *room)
{
    struct limited few = limited_open(ops, options, FEW, room);
    struct encoded first = limited_encode(&few, record);
    bool overflow = few.out.overflow;
    size_t size = few.out.used;
    struct encoded again = limited_encode(&few, record);
    EXPECT(series_table_count(few.guard->table) <= FEW, "%s: too many series", ops->name);
    if (!overflow)
        EXPECT(again.samples == first.samples && again.series_refused == first.series_refused &&
                   few.out.used == size,
               "%s: known series are not written again", ops->name);
    if (!overflow)
        EXPECT(first.samples <= written->samples &&
                   first.samples + first.series_refused >= written->samples,
               "%s: a sample is neither written nor counted", ops->name);
    limited_close(&few);
}

void check_limits(const struct encoder_ops *ops, const struct encoder_options *options,
                  const struct record *record, const struct encoded *written)
{
    static char *room; /* used for all inputs */
    if (room == NULL && (room = malloc(ROOM)) == NULL)
        abort();
    check_many(ops, options, record, written, room);
    check_few(ops, options, record, written, room);
}
