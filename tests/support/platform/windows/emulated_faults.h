/*
 * The faults of the emulated system (socket_lookup_emulated.h), for its own files. All of it is
 * protected by emulation_lock.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_EMULATED_FAULTS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_EMULATED_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_lookup.h"

extern SRWLOCK emulation_lock; /* for all data of the emulation */

struct emulation_faults {
    bool hold_removals;      /* while set, REMOVE packets do not come */
    size_t failing_removals; /* the number of requests that will fail */
    unsigned refused;        /* EMULATION_REFUSES_... */
    bool fails_armings;      /* each twentieth arming fails */
    size_t armings;
};
extern struct emulation_faults emulation_faults;

/*
 * A program with the emulation reads the faults of its system from its environment:
 * EMULATION=refuses-streams,refuses-datagrams,holds-removals,fails-removals,fails-armings, or some
 * of them.
 */
void emulation_faults_read(void);

/* Returns what the next call returns, and sets the result of its registrations. */
DWORD emulation_faults_next(DWORD *result);

/* Whether the socket's provider is not Microsoft's, as behind a layered service provider. */
bool emulation_faults_refuse(SOCKET socket);

/* Whether this arming of a registered level fails. */
bool emulation_faults_fail_arming(void);

/* Counts a registration that the system would refuse by its form (emulation_malformed). */
void emulation_faults_check(const struct socket_registration *row);

/* Makes the emulation look at its registrations; in socket_lookup_emulated.c. */
void emulation_look(void);

#endif
