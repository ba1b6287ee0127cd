/*
 * Holds the faults that socket_lookup_emulated.c emulates. Only the emulation's own files use them,
 * with emulation_lock held.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_EMULATED_FAULTS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_WINDOWS_EMULATED_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <winsock2.h>

#include "collector/platform/windows/socket_lookup.h"

extern SRWLOCK emulation_lock; /* protects all data of the emulation */

struct emulation_faults {
    bool hold_removals;      /* while set, REMOVE packets are delayed */
    size_t failing_removals; /* the number of requests that will fail */
    unsigned refused;        /* kinds of sockets that cannot be registered: EMULATION_REFUSES_... */
    bool fails_armings;      /* every twentieth arming fails */
    size_t armings;
};
extern struct emulation_faults emulation_faults;

/*
 * Reads the faults from the environment variable EMULATION: a list, separated by commas, of
 * refuses-streams, refuses-datagrams, holds-removals, fails-removals and fails-armings.
 */
void emulation_faults_read(void);

/* Returns the result that the next call must have, and stores the result of its registrations. */
DWORD emulation_faults_next(DWORD *result);

/*
 * Returns true if the socket must be refused. Windows refuses sockets of a layered service
 * provider.
 */
bool emulation_faults_refuse(SOCKET socket);

/* Returns true if this arming of a registered level must fail. */
bool emulation_faults_fail_arming(void);

/* Counts a registration whose form the system would refuse (emulation_malformed). */
void emulation_faults_check(const struct socket_registration *row);

/* Makes the emulation check its registrations. Implemented in socket_lookup_emulated.c. */
void emulation_look(void);

#endif
