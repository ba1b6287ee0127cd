/* collector/log_stream.h on poll(2) and write(2). */
#include "collector/log_stream.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

/*
 * Between the question and the write nobody else of ours may take the room. A pipe is writable when
 * it has room for PIPE_BUF bytes (pipe(7)), at least 4096 here: then what is shorter goes in whole.
 */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

bool log_stream_write(const char *lines, size_t size)
{
    struct pollfd stream = {.fd = STDERR_FILENO, .events = POLLOUT};
    bool written = false;
    pthread_mutex_lock(&asking);
    if (poll(&stream, 1, 0) == 1 && (stream.revents & POLLOUT) != 0)
        written = write(STDERR_FILENO, lines, size) == (ssize_t)size;
    pthread_mutex_unlock(&asking);
    return written;
}
