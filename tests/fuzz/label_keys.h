/*
 * The keys of labels that `value=*` gives to the fields of a message, compared with those of the
 * same message without one or another of its singular messages.
 */
#ifndef SLUICE_TESTS_FUZZ_LABEL_KEYS_H
#define SLUICE_TESTS_FUZZ_LABEL_KEYS_H

#include <stddef.h>
#include <stdint.h>

#include "proto/message/type.h"

/*
 * A field's label has the same key whether or not another message is present. `data` is a message
 * of the type `type` in the set at `path`, which was read as `root`; `choice` selects the messages
 * that are left out. Keys that are in the message (maps, named values) may change, so a message
 * with such keys is not compared.
 */
void check_label_keys(const char *path, const char *type, const struct message_type *root,
                      const uint8_t *data, size_t size, uint64_t choice);

#endif
