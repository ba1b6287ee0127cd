/* Reads the ledger that the program printed when it stopped. A missing entry fails the world. */
#ifndef SLUICE_TESTS_SIMULATION_LEDGER_READING_H
#define SLUICE_TESTS_SIMULATION_LEDGER_READING_H

#include <jansson.h>
#include <stdint.h>

/* Returns the last ledger of this life. The caller releases it with json_decref. */
json_t *ledger_final(void);

/* Returns NULL if the ledger has no such listener. */
json_t *ledger_listener(json_t *ledger, const char *name);

/*
 * Adds up all entries of the sink with this name, and returns the sum, or NULL if there is none. A
 * sink has several entries if a reload changed its keys. May be called once for each name.
 */
json_t *ledger_sink(json_t *ledger, const char *name);

uint64_t ledger_number(const json_t *object, const char *name);

/* Returns the sum of the numbers in the object of this name, or 0 if it does not exist. */
uint64_t ledger_sum(json_t *object, const char *name);

/* Fails the world if the two numbers differ. */
void ledger_expect(const char *what, uint64_t is, uint64_t should);

#endif
