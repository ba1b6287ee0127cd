/*
 * Implements the terminals of collector/platform/process.h with Windows' consoles, which accept
 * control sequences if a program requests that.
 */
#include "collector/platform/process.h"

#include <windows.h>

#define USUAL_COLUMNS 80

/* ENABLE_VIRTUAL_TERMINAL_PROCESSING, which older headers lack. */
#define TAKES_SEQUENCES 0x0004

static bool takes_sequences(HANDLE console)
{
    DWORD mode;
    if (console == NULL || console == INVALID_HANDLE_VALUE || !GetConsoleMode(console, &mode))
        return false;
    return (mode & TAKES_SEQUENCES) != 0 || SetConsoleMode(console, mode | TAKES_SEQUENCES) != 0;
}

size_t terminal_columns(void)
{
    CONSOLE_SCREEN_BUFFER_INFO found;
    HANDLE console = GetStdHandle(STD_ERROR_HANDLE);
    if (!takes_sequences(console))
        return 0;
    if (!GetConsoleScreenBufferInfo(console, &found) || found.dwSize.X <= 0)
        return USUAL_COLUMNS;
    return (size_t)found.dwSize.X;
}

static bool takes_colour(HANDLE console)
{
    char first[2];
    DWORD size = GetEnvironmentVariableA("NO_COLOR", first, sizeof first);
    return size == 0 && takes_sequences(console);
}

bool terminal_has_colour(void)
{
    return takes_colour(GetStdHandle(STD_ERROR_HANDLE));
}

enum terminal_kind terminal_of_output(void)
{
    DWORD mode;
    HANDLE console = GetStdHandle(STD_OUTPUT_HANDLE);
    if (console == NULL || console == INVALID_HANDLE_VALUE || !GetConsoleMode(console, &mode))
        return TERMINAL_NONE;
    return takes_colour(console) ? TERMINAL_COLOUR : TERMINAL_PLAIN;
}
