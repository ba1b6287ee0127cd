/* Names a command: sink after its program, because the command line may contain secrets. Pure. */
#ifndef SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H
#define SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H

#include <stddef.h>

/* Most bytes of a name, including its NUL. */
#define COMMAND_NAME_SIZE 48

/*
 * Finds the first program that a shell command line of `length` bytes starts: "psql" for
 * "PGPASSWORD=x exec /usr/bin/psql -c ...". The name is the last part of its path and consists of
 * letters, digits and ".+-_"; other lines are called "shell".
 */
void command_name(const char *line, size_t length, char name[COMMAND_NAME_SIZE]);

#endif
