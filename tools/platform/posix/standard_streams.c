/* tools/command/standard_streams.h on POSIX. */
#include "tools/command/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/*
 * A closed standard descriptor is replaced by one that is open in the other direction: reads or
 * writes fail as before, but its number is in use. The system assigns the lowest free number.
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
