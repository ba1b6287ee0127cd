/*
 * Finds where a key of a listener's URL is in the configuration file, for faults that are found
 * only after the URL was parsed.
 *
 * Pure; main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_KEY_PLACE_H
#define SLUICE_COLLECTOR_CONFIG_KEY_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct config;

/*
 * Writes "FILE:LINE:COLUMN" of the name of `key` into `place` of `size` bytes. `written_at` is the
 * member of the listener that has the key (struct listener_config); `schema` is the index of the
 * key's schema in that listener. Returns false if the listener is not from a file or the key was
 * not given.
 */
bool key_place_of_schema(const struct config *config, const char *written_at, size_t schema,
                         const char *key, char *place, size_t size);

#endif
