/*
 * Reads networks as people write them, one or many. Pure but for memory; any thread.
 *
 * What is refused is called by `name`, with which the fault's text begins, and its place is counted
 * from the beginning of `text`.
 */
#ifndef SLUICE_COLLECTOR_CONFIG_NETWORK_H
#define SLUICE_COLLECTOR_CONFIG_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/networks.h"
#include "collector/base/parse_error.h"

/* How many are written, for a person. */
#define NETWORKS_SYNTAX "ADDR[/BITS],..."

/*
 * Reads all `length` bytes of "10.1.0.0/16", "2001:db8::/32" or of an address without bits, which
 * is that one alone. The bits of an IPv4-mapped network are counted from the first of 128, and it
 * becomes the IPv4 network. Returns false with `fault` filled.
 */
bool network_parse(const char *name, const char *text, size_t length, struct network *network,
                   struct parse_error *fault);

/*
 * A setting_parser (setting.h): reads networks that commas part into a struct networks *, to be
 * freed by networks_free. At least one must be there.
 */
bool networks_parse(const char *name, const char *text, size_t length, void *field,
                    struct parse_error *fault);

/*
 * The same for one address without bits, which is put into the struct address at `field`
 * (a setting_parser).
 */
bool network_host_parse(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault);

#endif
