/* A spill's folder, inspected as `sluice spill --check` does, and opened. */
#ifndef SLUICE_TESTS_FUZZ_INSPECTED_H
#define SLUICE_TESTS_FUZZ_INSPECTED_H

#include "collector/spill/inspection.h"

/* Inspects the scratch folder, in which each file must then be as it was, and none more. */
struct spill_inspection inspected(const struct spill_settings *settings);

/* Must equal the result of the next open. */
void expect_opened_as_inspected(const struct spill_inspection *found, const struct spill *spill);

#endif
