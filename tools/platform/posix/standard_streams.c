/* Implements tools/command/standard_streams.h on POSIX. */
#include "tools/command/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/*
 * Opens /dev/null in the wrong direction for each closed standard descriptor. open returns the
 * lowest free number, so otherwise a file that is opened later would get such a number. Reading or
 * writing the descriptor still fails.
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
