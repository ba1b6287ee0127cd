/*
 * Computes a hash of a series, which is the same in every run and on every machine. It has no
 * secret, so do not use it for hash tables whose contents senders choose. Pure functions; any
 * thread.
 *
 * The hashes of the series' name and of its labels are added, modulo 2^64, so the order of labels
 * does not matter. The hash of the series is m(sum).
 *
 * The function m is the last step of SplitMix64 (Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", 2014, with Stafford's thirteenth variant of its constants). The
 * hash h of a name begins with 0. The hash of a label begins with 1, and takes the key and then the
 * value. A text of n bytes changes h to m(h ^ (n + 0x9e3779b97f4a7c15)). Then each eight bytes of
 * the text (little-endian, the last bytes padded with zeros) change h to m(h ^ bytes).
 */
#ifndef SLUICE_SINKS_ENCODERS_SERIES_HASH_H
#define SLUICE_SINKS_ENCODERS_SERIES_HASH_H

#include <stdint.h>

#include "collector/contract/schema.h"

uint64_t series_hash_name(const struct text *name);
uint64_t series_hash_label(const struct label *label);

/* Returns the hash of a series. `sum` is the sum of the hashes of its name and labels. */
uint64_t series_hash_whole(uint64_t sum);

#endif
