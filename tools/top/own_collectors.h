/*
 * Finds control addresses to try if the user gives no address: the usual ones, and those of
 * collectors that this user has started. CMake selects the implementation in tools/platform/.
 */
#ifndef SLUICE_TOOLS_TOP_OWN_COLLECTORS_H
#define SLUICE_TOOLS_TOP_OWN_COLLECTORS_H

#include <stdbool.h>
#include <stddef.h>

/* The maximum number of bytes of an address, with its NUL. */
#define CONTROL_ADDRESS_SIZE 128

/* The addresses of the packaged service (tools/packaging) and of the examples, on Linux. */
#define USUAL_SERVICE_ADDRESS "unix:/run/sluice/control"
#define USUAL_EXAMPLE_ADDRESS "unix:/tmp/sluice.sock"

/* The address of the packaged service on Windows. */
#define USUAL_PIPE_ADDRESS "pipe:sluice"

struct usual_address {
    const char *text; /* NULL: none */
    bool own;         /* accept only a collector of this user or the system */
};

/* The address of the packaged service, which is tried first, and the address that is tried last. */
extern const struct usual_address usual_service, usual_last;

/*
 * Stores the addresses of collectors that this user has started, at most `most`. Returns their
 * number. A collector may have ended since it was found.
 */
size_t own_collectors_find(char addresses[][CONTROL_ADDRESS_SIZE], size_t most);

#endif
