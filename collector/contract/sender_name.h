/* The name of a sender that is known by its key. */
#ifndef SLUICE_COLLECTOR_CONTRACT_SENDER_NAME_H
#define SLUICE_COLLECTOR_CONTRACT_SENDER_NAME_H

#include <stdbool.h>
#include <string.h>

/* The most bytes of a name, without the final NUL. */
#define SENDER_NAME_MAX 63

/* Whether both are the same name; NULL: the sender has no name. */
static inline bool sender_name_equal(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

#endif
