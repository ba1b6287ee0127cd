#include "tests/simulation/streams.h"

#include <string.h>

#include "tests/simulation/children.h"

static struct {
    unsigned char bytes[STREAM_CAPACITY];
    size_t used;
    bool broken;
} stream;

bool stream_is_broken(wait_handle handle)
{
    return handle == STREAM_STDOUT ? stream.broken : children_is_broken(handle);
}

/* A pipe is writable if it has room for a page, as for poll(2). */
bool stream_has_room(wait_handle handle)
{
    return handle == STREAM_STDOUT ? stream.used <= STREAM_CAPACITY - 4096
                                   : children_has_room(handle);
}

size_t stream_write(const void *bytes, size_t size)
{
    size_t room = STREAM_CAPACITY - stream.used;
    size_t taken = size < room ? size : room;
    memcpy(stream.bytes + stream.used, bytes, taken);
    stream.used += taken;
    return taken;
}

size_t stream_read(void *bytes, size_t size)
{
    size_t taken = size < stream.used ? size : stream.used;
    memcpy(bytes, stream.bytes, taken);
    stream.used -= taken;
    memmove(stream.bytes, stream.bytes + taken, stream.used);
    return taken;
}

bool stream_is_empty(void)
{
    return stream.used == 0;
}

void stream_break(void)
{
    stream.broken = true;
}
