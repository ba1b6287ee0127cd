/* Compares what an inspection of a spill's folder finds with the counts of the opened spill. */
#ifndef SLUICE_TESTS_FUZZ_INSPECTED_H
#define SLUICE_TESTS_FUZZ_INSPECTED_H

#include "collector/spill/inspection.h"

/*
 * Inspects the scratch folder as `sluice spill --check` does. Checks that its files are unchanged.
 */
struct spill_inspection inspected(const struct spill_settings *settings);

/* Checks that the opened spill has the counts that the inspection found. */
void expect_opened_as_inspected(const struct spill_inspection *found, const struct spill *spill);

#endif
