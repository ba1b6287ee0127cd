/* The ledger that a program has printed when it stopped; a missing entry fails the world. */
#ifndef SLUICE_TESTS_SIMULATION_LEDGER_READING_H
#define SLUICE_TESTS_SIMULATION_LEDGER_READING_H

#include <jansson.h>
#include <stdint.h>

/* The last ledger of this life. The caller releases it by json_decref. */
json_t *ledger_final(void);

/* Returns NULL if the ledger has no such listener. */
json_t *ledger_listener(json_t *ledger, const char *name);

/*
 * The sum of all entries of that name, which may be requested only once: a sink has another entry
 * after its keys were changed, and the entry before is then a retired one. Returns NULL if there is
 * none.
 */
json_t *ledger_sink(json_t *ledger, const char *name);

uint64_t ledger_number(const json_t *object, const char *name);

/* The sum of the numbers in the object of that name; 0 if there is no such object. */
uint64_t ledger_sum(json_t *object, const char *name);

/* Fails the world where the two differ. */
void ledger_expect(const char *what, uint64_t is, uint64_t should);

#endif
