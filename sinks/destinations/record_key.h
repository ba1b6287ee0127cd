/*
 * The key of a record: of the records of one key a broker keeps the order.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_KEY_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/delivery.h"

struct record;

/*
 * Writes the record's key to the DELIVERY_KEY_SIZE bytes of `key`, and returns its size; 0: it has
 * none. A text that is longer is cut.
 *
 * KEY_SOURCE: the sender's address, without its port. KEY_SERIES: 16 hexadecimal digits, the same
 * for the same name and labels, whatever their order. KEY_LABEL: the label's value. A record of
 * several samples has the key of its first, one without samples none.
 */
size_t record_key(const struct key_options *options, const struct record *record, uint8_t *key);

#endif
