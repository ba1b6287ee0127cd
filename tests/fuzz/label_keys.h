/*
 * Compares the keys of labels that a schema with `value=*` yields for a message with those for the
 * same message without one of its submessages.
 */
#ifndef SLUICE_TESTS_FUZZ_LABEL_KEYS_H
#define SLUICE_TESTS_FUZZ_LABEL_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/message/type.h"

/*
 * Checks that a field's label has the same key whether or not another submessage is present. `data`
 * is a message of the type `type` in the set at `path`; `root` is that type. `choice` selects the
 * submessages that are removed. Skips a message that contains keys itself (maps, named values),
 * because such keys may change.
 */
void check_label_keys(const char *path, const char *type, const struct message_type *root,
                      const uint8_t *data, size_t size, uint64_t choice);

#endif
