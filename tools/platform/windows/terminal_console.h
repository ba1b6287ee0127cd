/* Reads the keys of Windows' console. Only for tools/platform/windows/ and its tests. */
#ifndef SLUICE_TOOLS_PLATFORM_WINDOWS_TERMINAL_CONSOLE_H
#define SLUICE_TOOLS_PLATFORM_WINDOWS_TERMINAL_CONSOLE_H

#include <windows.h>

#include "tools/top/terminal.h"

/*
 * Returns the effect of a record of the console's input, as terminal_wait does, or TERMINAL_NO_KEY.
 */
enum terminal_key console_key(const INPUT_RECORD *record, enum view_key *key);

#endif
