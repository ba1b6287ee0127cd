/*
 * Environment variables of the program, and references to variables.
 *
 * Each option that takes a value has a variable SLUICE_NAME (config/provenance.h). A variable whose
 * name begins so and that no option has is probably a mistake. The main thread's.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_VARIABLES_H
#define SLUICE_COLLECTOR_CONFIG_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/option_table.h"

/* What the names of the program's variables begin with. */
#define VARIABLE_PREFIX "SLUICE_"

/* Whether the option has a variable: it takes a value. */
bool variable_is_read(const struct option *option);

enum variable_use {
    VARIABLE_READ,    /* an option has it */
    VARIABLE_FOREIGN, /* somebody else's: it does not begin with SLUICE_, or Kubernetes sets it */
    VARIABLE_UNKNOWN, /* no option has it */
    VARIABLE_SLIP,    /* no option has it, and an option's differs by one edit */
};

/*
 * Says what a variable of that name is for. Of VARIABLE_UNKNOWN and VARIABLE_SLIP fills `fault`: a
 * line that names the variable, and the one that was probably meant.
 *
 * Kubernetes describes each service to each container of its namespace by variables
 * (kubernetes.io, "Accessing the Service"): of a service "sluice" SLUICE_SERVICE_HOST,
 * SLUICE_PORT_5555_UDP_ADDR and the like, of a service "sluice-metrics" SLUICE_METRICS_PORT and the
 * like. These are foreign.
 */
enum variable_use variable_use_of(const char *name, struct parse_error *fault);

/*
 * Finds the first "${NAME}" in a text: nothing replaces it. Returns false where there is none; else
 * fills `fault`, whose `at` is the place of the "$".
 */
bool variable_reference(const char *text, struct parse_error *fault);

#endif
