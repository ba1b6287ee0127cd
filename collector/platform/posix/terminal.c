/* collector/platform/terminal.h on terminals of POSIX. */
#include "collector/platform/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80

static bool takes_sequences(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

size_t terminal_columns(void)
{
    struct winsize size;
    if (!takes_sequences())
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col
                                                                            : USUAL_COLUMNS;
}

bool terminal_has_colour(void)
{
    const char *none = getenv("NO_COLOR");
    return takes_sequences() && (none == NULL || none[0] == '\0');
}

bool terminal_is_output(void)
{
    return isatty(STDOUT_FILENO) != 0;
}
