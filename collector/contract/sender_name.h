/* The name that a sender has proved: of its key, or in its DTLS session. */
#ifndef SLUICE_COLLECTOR_CONTRACT_SENDER_NAME_H
#define SLUICE_COLLECTOR_CONTRACT_SENDER_NAME_H

#include <stdbool.h>
#include <string.h>

/* The maximum number of bytes of a name, without the final NUL. */
#define SENDER_NAME_MAX 63

/* Returns true if both are the same name, or both are NULL (no name). */
static inline bool sender_name_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

#endif
