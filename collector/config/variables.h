/*
 * Classifies environment variables, and finds references to variables in texts.
 *
 * Each option that takes a value has a variable SLUICE_NAME (config/provenance.h). A variable with
 * this prefix that does not belong to an option is probably a mistake. Main thread.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_VARIABLES_H
#define SLUICE_COLLECTOR_CONFIG_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/parse_error.h"
#include "collector/config/option_table.h"

/* Prefix of the program's variables. */
#define VARIABLE_PREFIX "SLUICE_"

/* Returns true if the option takes a value, and so has a variable. */
bool variable_is_read(const struct option *option);

enum variable_use {
    VARIABLE_READ,    /* belongs to an option */
    VARIABLE_FOREIGN, /* belongs to another program: no prefix SLUICE_, or set by Kubernetes */
    VARIABLE_UNKNOWN, /* does not belong to an option */
    VARIABLE_SLIP,    /* belongs to no option, but its name is one edit away from the variable of an
                         option */
};

/*
 * Classifies a variable by its name. For VARIABLE_UNKNOWN and VARIABLE_SLIP fills `fault` with a
 * line that names the variable and the variable that was probably meant.
 *
 * Kubernetes sets variables for each service in each container of the namespace (kubernetes.io,
 * "Accessing the Service"). Examples: SLUICE_SERVICE_HOST and SLUICE_PORT_5555_UDP_ADDR for a
 * service "sluice", SLUICE_METRICS_PORT for a service "sluice-metrics". Such variables are
 * VARIABLE_FOREIGN.
 */
enum variable_use variable_use_of(const char *name, struct parse_error *fault);

/*
 * Finds the first "${NAME}" in a text; does not expand it. If there is one, fills `fault`, with the
 * offset of the "$", and returns true.
 */
bool variable_reference(const char *text, struct parse_error *fault);

#endif
