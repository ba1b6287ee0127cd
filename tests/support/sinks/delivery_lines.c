#include "tests/support/sinks/delivery_lines.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/platform/patience.h"
#include "tests/support/test.h"

void delivery_lines_fill(struct delivery_lines *lines, const char *route, size_t count)
{
    memset(lines, 0, sizeof *lines);
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        int length = snprintf(lines->bytes + size, 16, "line %zu\n", i);
        lines->records[i] = (struct delivery_record){
            .offset = (uint32_t)size, .size = (uint32_t)length, .lines = 1};
        size += (size_t)length;
    }
    lines->block = (struct delivery_block){
        .route = route,
        .bytes = (const uint8_t *)lines->bytes,
        .size = size,
        .records = lines->records,
        .count = count,
        .keys = (const uint8_t *)lines->keys,
        .epoch = "e",
        .schema = "telemetry",
        .listener = "udp://127.0.0.1:1",
    };
}

void delivery_lines_send(struct destination *destination, struct delivery_lines *lines)
{
    struct error error;
    assert_true(destination->delivery->send(destination, &lines->block, &error));
}

struct delivery_block *delivery_await(struct destination *destination, struct wakeup *wakeup,
                                      struct error *error)
{
    const struct delivery_ops *ops = destination->delivery;
    int64_t until = patience_until();
    for (;;) {
        ops->serve(destination);
        int64_t retry_after;
        struct delivery_block *block = ops->answer(destination, error, &retry_after);
        if (block != NULL)
            return block;
        assert_true(patience(until));
        wakeup_wait(wakeup, NO_HANDLE, false, 100);
    }
}

void delivery_lines_assert(const struct delivery_lines *lines, enum delivery_outcome fate)
{
    if (!lines->block.per_record) {
        assert_int_equal(lines->block.outcome, fate);
        return;
    }
    for (size_t i = 0; i < lines->block.count; i++)
        assert_int_equal(lines->records[i].outcome, fate);
}
