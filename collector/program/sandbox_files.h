/*
 * Adds to the sandbox's plan the files whose names are in other files, for example in a file of
 * librdkafka properties. A reload or a library opens them during a run. Main thread.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_SANDBOX_FILES_H
#define SLUICE_COLLECTOR_PROGRAM_SANDBOX_FILES_H

#include <stdbool.h>

#include "collector/contract/broker_options.h"
#include "collector/platform/sandbox.h"

/*
 * Adds the certificates, keys and seeds that the properties of a kafka: sink, or the login of a
 * nats: sink, name. Ignores a properties file that cannot be read. Returns false if memory is
 * short.
 */
bool sandbox_files_add_named(struct sandbox_plan *plan, const struct broker_options *broker);

/*
 * Returns true if librdkafka would log in by Kerberos. It then runs the program kinit(1), at the
 * start and later.
 */
bool sandbox_files_use_kerberos(const struct broker_options *broker);

/*
 * Adds the folders of the files that .proto files import. `path` is a .proto file or a folder.
 * Returns false if memory is short.
 */
bool sandbox_files_add_imports(struct sandbox_plan *plan, const char *path);

#endif
