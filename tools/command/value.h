/*
 * Parses the values of options. Each function returns 0 with *out set, or -1 with `error` filled
 * (EXIT_CODE_USAGE); the caller puts the option's name before the error's text. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_COMMAND_VALUE_H
#define SLUICE_TOOLS_COMMAND_VALUE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"
#include "collector/config/units.h"

/* Parses a count, a size in bytes or a duration in nanoseconds, from `least` to `most`. */
int value_quantity(const char *text, enum quantity quantity, uint64_t least, uint64_t most,
                   uint64_t *out, struct error *error);

/* Parses "max" as 0, or a count from 1 to `most`. */
int value_rate(const char *text, uint64_t most, uint64_t *out, struct error *error);

/* Finds the index of `text` in `names`, whose last element is NULL. */
int value_choice(const char *text, const char *const *names, size_t *out, struct error *error);

/* Parses "udp://HOST:PORT". The host is an address (IPv6 in brackets); the port is not 0. */
int value_destination(const char *text, struct address *out, struct error *error);

#endif
