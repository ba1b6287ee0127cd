/* tools/command/standard_streams.h on POSIX. */
#include "tools/command/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/*
 * A closed descriptor is filled with one that is open the wrong way round: reading or writing it
 * fails as before, but its number is taken. Descriptors are given out from the lowest.
 */
void standard_streams_prepare(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            (void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    signal(SIGPIPE, SIG_IGN);
}

bool standard_output_is_terminal(void)
{
    return isatty(STDOUT_FILENO) != 0;
}
