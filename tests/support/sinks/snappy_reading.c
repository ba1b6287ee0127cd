#include "tests/support/sinks/snappy_reading.h"

#include <string.h>

#include "collector/base/wire.h"
#include "tests/support/test.h"

static size_t little(const uint8_t *at, const uint8_t *end, size_t count)
{
    size_t value = 0;
    assert_true((size_t)(end - at) >= count);
    for (size_t i = count; i != 0; i--)
        value = value << 8 | at[i - 1];
    return value;
}

size_t snappy_read(const uint8_t *block, size_t size, uint8_t *to, size_t capacity)
{
    const uint8_t *end = block + size;
    uint64_t said;
    size_t used = 0;
    const uint8_t *at = wire_read_size(block, end, &said);
    assert_non_null(at);
    assert_true(said <= capacity);
    while (at != end) {
        size_t kind = *at & 3;
        size_t upper = *at++ >> 2;
        size_t length = upper + 1;
        if (kind == 0) {
            size_t more = upper < 60 ? 0 : upper - 59;
            length = more == 0 ? length : little(at, end, more) + 1;
            at += more;
            assert_true(length <= (size_t)(end - at) && length <= said - used);
            memcpy(to + used, at, length);
            at += length;
            used += length;
            continue;
        }
        size_t bytes = kind == 1 ? 1 : kind == 2 ? 2 : 4;
        size_t offset = little(at, end, bytes);
        if (kind == 1) {
            offset |= (upper >> 3) << 8;
            length = 4 + (upper & 7);
        }
        at += bytes;
        assert_true(offset != 0 && offset <= used && length <= said - used);
        for (size_t i = 0; i < length; i++, used++)
            to[used] = to[used - offset];
    }
    assert_int_equal(used, said);
    return used;
}
