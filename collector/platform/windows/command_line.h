/*
 * Windows passes a program its arguments as one text, which the program splits by a convention
 * (CommandLineToArgvW). Only for Windows.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_COMMAND_LINE_H

#include <wchar.h>

/*
 * Returns the text that splits into these arguments, at least one, up to a NULL; the caller frees
 * it (free). NULL: memory is short, an argument is not UTF-8, or the first argument, the program,
 * contains a quotation mark, which file names cannot have.
 */
wchar_t *command_line_of(const char *const *arguments);

#endif
