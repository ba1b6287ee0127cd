/*
 * Finds the message types for `nested=FIELD:by=PATH` without a list: a path in a message names
 * them. Cisco's models have a package for each encoding path, with a message X for the content of a
 * row and a message X_KEYS for its keys. The package is the path in lower case, with '_' for '-',
 * and '.' for ':' and '/': "Cisco-IOS-XR-infra-statsd-oper:infra-statistics/interfaces" has the
 * package "cisco_ios_xr_infra_statsd_oper.infra_statistics.interfaces". Older models lack the
 * "cisco_". Constant once made; any thread may use it.
 */
#ifndef SLUICE_PROTO_RUNTIME_NESTED_PACKAGE_H
#define SLUICE_PROTO_RUNTIME_NESTED_PACKAGE_H

#include "collector/base/error.h"
#include "collector/text/text.h"
#include "proto/types/type_set.h"

struct nested_package {
    const char *name; /* without "cisco_" */
    const struct message_type *content;
    const struct message_type *keys; /* all its fields are keys */
};

struct nested_packages {
    struct nested_package *list; /* owned; sorted by name */
    size_t count;
};

/*
 * Lists the packages of the set with one message X_KEYS and its message X. Returns false with
 * `error` filled if there are none (EXIT_CODE_CONFIG), or if memory is short. Call
 * nested_packages_clear in either case.
 */
bool nested_packages_find(struct type_set *set, struct nested_packages *packages,
                          struct error *error);
void nested_packages_clear(struct nested_packages *packages);

/* Returns the index of the package that the path names, or SIZE_MAX. */
size_t nested_packages_choose(const struct nested_packages *packages, const struct text *path);

#endif
