/* What a command: sink is called: by its program, as its line may hold secrets. Pure. */
#ifndef SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H
#define SLUICE_COLLECTOR_CONFIG_COMMAND_NAME_H

#include <stddef.h>

/* Bytes of a name, with the NUL that ends it. */
#define COMMAND_NAME_SIZE 48

/*
 * Finds the program that a line of `length` bytes for the shell starts first: "psql" of
 * "PGPASSWORD=x exec /usr/bin/psql -c ...". It is the last part of a path, of letters, digits and
 * ".+-_"; a line that begins with anything else is "shell".
 */
void command_name(const char *line, size_t length, char name[COMMAND_NAME_SIZE]);

#endif
