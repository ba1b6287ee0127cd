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
 * Raises the process' limit as far as it may be, and keeps so many of them for each use; at most a
 * half of all, of which senders have a half. Again with other numbers after a reload. Without effect
 * where the limit cannot be changed, or was changed from outside since the last call. Programs that
 * are started have the limit that the process was started with, where that is a higher one from just
 * after their start on. Main thread.
 */
void descriptors_keep(const uint64_t wanted[DESCRIPTOR_USES]);

/*
 * After a call that failed, perhaps as it found no descriptor: whether it is to be made again, for so
 * many of them. Then descriptors_take_back follows it. `times` is 0 before the first call: others may
 * get what is lent for it, so it is lent a few times. Both leave errno as it is. Any thread.
 */
bool descriptors_lend(enum descriptor_use use, unsigned wanted, unsigned *times);
void descriptors_take_back(enum descriptor_use use, unsigned wanted);

#endif
