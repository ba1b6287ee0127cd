/* The ledger that a program has printed when it stopped; what is missing in it fails the world. */
#ifndef SLUICE_TESTS_SIMULATION_LEDGER_READING_H
#define SLUICE_TESTS_SIMULATION_LEDGER_READING_H

#include <jansson.h>
#include <stdint.h>

/* The last one of this life, to be released by json_decref. */
json_t *ledger_final(void);

/* NULL: there is none. */
json_t *ledger_listener(json_t *ledger, const char *name);

/*
 * The sum of the entries of that name, to be asked for once: a sink whose keys were changed has
 * another one than the one before it. Retired are all of them. NULL: there is none.
 */
json_t *ledger_sink(json_t *ledger, const char *name);

uint64_t ledger_number(const json_t *object, const char *name);

/* The sum of the numbers in the object of that name; 0: there is none. */
uint64_t ledger_sum(json_t *object, const char *name);

/* Fails the world where the two differ. */
void ledger_expect(const char *what, uint64_t is, uint64_t should);

#endif
