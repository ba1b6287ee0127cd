/*
 * Finds a name for a command: sink. The name is that of the program, because the command line may
 * contain secrets. Pure.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H
#define SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H

#include <stddef.h>

/* The maximum number of bytes of a name, including its NUL. */
#define COMMAND_NAME_SIZE 48

/*
 * Writes the name of the first program that a shell command line of `length` bytes starts: "psql"
 * for "PGPASSWORD=x exec /usr/bin/psql -c ...". The name is the last part of the program's path. It
 * consists of letters, digits and ".+-_"; if there is no such name, it is "shell".
 */
void command_name(const char *line, size_t length, char name[COMMAND_NAME_SIZE]);

#endif
