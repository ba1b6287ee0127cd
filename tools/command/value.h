/*
 * Parses values of options. Each function returns 0 with *out set, or -1 with `error` filled
 * (EXIT_CODE_USAGE), whose text will follow the option's name. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_COMMAND_VALUE_H
#define SLUICE_TOOLS_COMMAND_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/config/units.h"

/* A count, a size in bytes or a duration in nanoseconds, `least` to `most`. */
int value_quantity(const char *text, enum quantity quantity, uint64_t least, uint64_t most,
                   uint64_t *out, struct error *error);

/* "max", which is 0, or a count from 1 to `most`. */
int value_rate(const char *text, uint64_t most, uint64_t *out, struct error *error);

/* The index of `text` in `names`, which ends with NULL. */
int value_choice(const char *text, const char *const *names, size_t *out, struct error *error);

/* "udp://HOST:PORT" with a numeric host, IPv6 in brackets, and a port from 1. */
int value_destination(const char *text, struct address *out, struct error *error);

#endif
