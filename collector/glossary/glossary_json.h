/* Writes the glossary as JSON for the status page. Main thread. */
#ifndef SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_JSON_H
#define SLUICE_COLLECTOR_GLOSSARY_GLOSSARY_JSON_H

#include "collector/config/syntax.h"
#include "collector/text/output.h"

/*
 * Appends one JSON array with an entry for each word, in the order of the glossary. Members without
 * a text are left out. If out of memory, the array is empty.
 *
 *     [{"name":"ring_full","kind":"why a sink's queue did not take a record","what":"...",
 *       "remedy":"...","syntax":"SIZE","default":"default 4MiB","see":"sluice(1), THE LEDGER"}]
 */
void glossary_json_write(const struct config_registry *registry, struct output *out);

#endif
