/* Implements the terminals of collector/platform/process.h. */
#include "collector/platform/process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLUMNS 80

static bool takes_sequences(int stream)
{
    const char *kind = getenv("TERM");
    return isatty(stream) && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
}

size_t terminal_columns(void)
{
    struct winsize size;
    if (!takes_sequences(STDERR_FILENO))
        return 0;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0 ? size.ws_col
                                                                            : USUAL_COLUMNS;
}

static bool takes_colour(int stream)
{
    const char *none = getenv("NO_COLOR");
    return takes_sequences(stream) && (none == NULL || none[0] == '\0');
}

bool terminal_has_colour(void)
{
    return takes_colour(STDERR_FILENO);
}

enum terminal_kind terminal_of_output(void)
{
    if (isatty(STDOUT_FILENO) == 0)
        return TERMINAL_NONE;
    return takes_colour(STDOUT_FILENO) ? TERMINAL_COLOUR : TERMINAL_PLAIN;
}
