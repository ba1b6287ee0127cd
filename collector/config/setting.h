/*
 * Parses and compares settings (collector/contract/setting.h), and lists their choices. Pure
 * functions; any thread.
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
 * Parses all `length` bytes of `text` and stores the value in the setting's field of `target`. If
 * the value is invalid, returns false with `fault` filled (its `at` counted from the beginning of
 * `text`); the text of the fault begins with the setting's name.
 */
bool setting_parse(const struct setting *setting, const struct config_registry *registry,
                   const char *text, size_t length, void *target, struct parse_error *fault);

/*
 * Returns true if the setting has the same value in two structs. Supports numbers, enums,
 * notifiers, texts and settings with a comparer; for other settings, always returns false.
 */
bool setting_equal(const struct setting *setting, const void *a, const void *b);

/* Returns the offset of the path at the end of an accepted value, or `length` if it has no path. */
size_t setting_path(const struct setting *setting, const struct config_registry *registry,
                    const char *text, size_t length);

/* Returns the name of choice number `at`, or NULL if there are no more choices. */
const char *setting_choice(const struct setting *setting, const struct config_registry *registry,
                           size_t at);

/*
 * Returns true if a value is a list with commas between its items, as the setting's syntax shows. A
 * configuration file may then have a YAML list.
 */
bool setting_is_list(const struct setting *setting);

#endif
