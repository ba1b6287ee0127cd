/*
 * What is done with a setting (collector/contract/setting.h): reading, comparing, listing choices.
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_SETTING_H
#define SLUICE_COLLECTOR_CONFIG_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/parse_error.h"
#include "collector/config/config.h"
#include "collector/contract/setting.h"

/*
 * Reads all `length` bytes of `text` and stores the value in its field of `target`. Returns false
 * with `fault` filled (its `at` counted from the beginning of `text`) where the value is not
 * allowed; the fault's text begins with the setting's name.
 */
bool setting_parse(const struct setting *setting, const struct config_registry *registry,
                   const char *text, size_t length, void *target, struct parse_error *fault);

/*
 * Whether two structs that the setting was read into hold the same value. Of a number, an enum, a
 * notifier, a text, or what has a comparer; others are never equal.
 */
bool setting_equal(const struct setting *setting, const void *a, const void *b);

/*
 * How many bytes of a value that was accepted stand before the path that it ends in: all `length`
 * of them where there is none.
 */
size_t setting_path(const struct setting *setting, const struct config_registry *registry,
                    const char *text, size_t length);

/* The name of choice `at`, or NULL where there are no more, or never any. */
const char *setting_choice(const struct setting *setting, const struct config_registry *registry,
                           size_t at);

#endif
