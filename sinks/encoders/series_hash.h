/*
 * A hash of a series, the same in every run and on every machine.
 *
 * The hashes of its name and of its labels are added, modulo 2^64, so the order of labels does not
 * matter; m of the sum is the series' hash. Not for hash tables filled by strangers: it has no
 * secret.
 *
 * Each part's hash is a chain of m, the last step of SplitMix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", 2014, with Stafford's thirteenth variant of its
 * constants): it begins with 0 for a name and with 1 for a label, whose key and then whose value
 * are chained. A text of n bytes gives m(h ^ (n + 0x9e3779b97f4a7c15)), and then each eight bytes
 * of it (little-endian, the last ones padded with zeros) give m(h ^ bytes). Pure functions; any
 * thread.
 */
#ifndef SLUICE_SINKS_ENCODERS_SERIES_HASH_H
#define SLUICE_SINKS_ENCODERS_SERIES_HASH_H

#include <stdint.h>

#include "collector/contract/schema.h"

uint64_t series_hash_name(const struct text *name);
uint64_t series_hash_label(const struct label *label);

/* Of the sum of the parts' hashes. */
uint64_t series_hash_whole(uint64_t sum);

#endif
