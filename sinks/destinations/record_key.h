/* Computes the key of a record. A broker keeps the order of records that have the same key. */
#ifndef SLUICE_SINKS_DESTINATIONS_RECORD_KEY_H
#define SLUICE_SINKS_DESTINATIONS_RECORD_KEY_H

#include <stddef.h>
#include <stdint.h>

#include "collector/contract/broker_options.h"
#include "collector/contract/delivery.h"

struct record;

/*
 * Writes the record's key to the DELIVERY_KEY_SIZE bytes of `key`. Returns its size; 0: the record
 * has no key. A key that does not fit is truncated.
 *
 * KEY_SOURCE: the sender's address, without its port. KEY_SENDER: the name of the sender's key;
 * only sealed records have it. KEY_SERIES: 16 hexadecimal digits, a hash of the name and the
 * labels, whose order does not matter. KEY_LABEL: the label's value. KEY_SERIES and KEY_LABEL are
 * those of the record's first sample; a record without samples has no such key.
 */
size_t record_key(const struct key_options *options, const struct record *record, uint8_t *key);

#endif
