/*
 * Descriptors that are kept back, so that a library or a crowd of connections cannot use up all that
 * the process may have: librdkafka takes several for each broker that a broker names. What is kept
 * is only lent to a call that found none, and only to the uses of this program that are named here.
 *
 * Nothing is held open for it. The limit that the system enforces (RLIMIT_NOFILE, soft) is lower
 * than what the process may have. While such a call is made again it is raised, by as many as the
 * call needs: a library that opens something in just that moment may get those in its place.
 *
 * A system without such a limit keeps nothing. CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_DESCRIPTORS_H
#define SLUICE_COLLECTOR_PLATFORM_DESCRIPTORS_H

#include <stdbool.h>
#include <stdint.h>

#define DESCRIPTORS_UNLIMITED UINT64_MAX

/* Each may also use what is kept for those before it. */
enum descriptor_use {
    DESCRIPTOR_OF_SENDER, /* a connection that records come in by */
    DESCRIPTOR_OF_OWN,    /* a file, and whatever else the program opens itself */
    DESCRIPTOR_OF_CLIENT, /* a connection of the operator's: --metrics, --control */
};
#define DESCRIPTOR_USES 3

/* How many the process may have at most: the limit that it cannot raise. Any thread. */
uint64_t descriptors_most(void);

/*
 * Raises the limit of the process to the highest that it may have, and keeps back `wanted` of it
 * for each use, at most half of all (a quarter for senders). Called again after a reload. Has no
 * effect where the limit cannot be changed, or where somebody else has changed it meanwhile.
 * Programs that this one starts get the limit that it was started with; where that is higher than
 * ours now, they get it just after their start. Main thread.
 */
void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES]);

/*
 * Asked after a system call that found no descriptor. Returns whether to make it again; the limit
 * is then raised by `wanted` until descriptors_take_back, which must follow. Another thread may get
 * what is lent, so a call is tried a few times: `times` counts them and begins at 0. Both functions
 * leave errno as it is. Any thread.
 */
bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times);
void descriptors_take_back(enum descriptor_use use, unsigned wanted);

#endif
