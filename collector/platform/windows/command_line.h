/*
 * Windows gives a program its arguments as one text; how that is taken apart again is an agreement
 * (CommandLineToArgvW). Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H

#include <wchar.h>

/*
 * The text that is taken apart into these arguments, at least one, up to a NULL;
 * freed by the caller (free). NULL: no memory, one is no UTF-8, or the first, the program, has a
 * quotation mark in it, which no file name has.
 */
wchar_t *command_line_of(const char *const *arguments);

#endif
