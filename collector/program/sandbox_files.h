/*
 * Permits the files that other files name, which a reload or a library opens during a run
 * (program/sandbox_needs.h). Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SANDBOX_FILES_H
#define SLUICE_COLLECTOR_PROGRAM_SANDBOX_FILES_H

#include <stdbool.h>

#include "collector/contract/broker_options.h"
#include "collector/platform/sandbox.h"

/*
 * Adds the files that the properties of a kafka: sink, or the login of a nats: sink, name:
 * certificates, keys, seeds. A file that cannot be read names none. Returns false if memory is
 * short.
 */
bool sandbox_files_add_named(struct sandbox_plan *plan, const struct broker_options *broker);

/*
 * Whether librdkafka would log in by Kerberos, for which it runs the program kinit(1), now and
 * later.
 */
bool sandbox_files_use_kerberos(const struct broker_options *broker);

/*
 * Adds the folders of the files that .proto files import. `path` is a .proto file or a folder.
 * Returns false if memory is short.
 */
bool sandbox_files_add_imports(struct sandbox_plan *plan, const char *path);

#endif
