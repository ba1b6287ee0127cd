/*
 * Joins the arguments of a program into one text, which the program splits again by Windows'
 * convention (CommandLineToArgvW). Only for Windows.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H

#include <wchar.h>

/*
 * Returns the text for these arguments, at least one, up to a NULL; the caller frees it (free).
 * Returns NULL if memory is short, if an argument is not UTF-8, or if the first argument, the
 * program, contains a quotation mark, which file names cannot have.
 */
wchar_t *command_line_of(const char *const *arguments);

#endif
