/*
 * As whom the process runs: it is started as root, so that it can have what only root may have, and
 * gives that up for another user.
 *
 * A user is named "NAME" or "NAME:GROUP", by names that the system knows. Main thread, while there
 * is no other one.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_USER_H
#define SLUICE_COLLECTOR_PLATFORM_USER_H

#include "collector/base/error.h"

/*
 * Whether this process could become that user: it runs as root, or is that user already. Returns 0,
 * or -1 with `error` filled (EXIT_CODE_CONFIG): also where there is no such user or group, where
 * the user is root, and where processes of this system cannot change who they are.
 */
int user_check(const char *user, struct error *error);

/*
 * Answers `question` as that user: in another process, which has become the user and ends after the
 * answer. This process stays as it is. `question` returns 0, or -1 with its error filled; so does
 * this, also where the user cannot be had (EXIT_CODE_CONFIG) or no process can be started
 * (EXIT_CODE_INTERNAL). What `question` changes in memory is lost.
 */
int user_ask(const char *user, int (*question)(const void *context, struct error *error),
             const void *context, struct error *error);

/*
 * Root's rights are going to be given up for a user, who may own folders in which root opens files
 * until then: no link of the user's leads root to a file that only root may have. Until user_become.
 */
void user_expect(void);

/*
 * Becomes that user, for good: with the user's groups (of which GROUP is the first where it is
 * named, else the user's own one), without any capability, and so that none of it can be had again.
 * What is open stays open. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG); the process may
 * then have given up a part of it, and is to end.
 */
int user_become(const char *user, struct error *error);

/*
 * Gives a file to that user and group, by a descriptor of it, which may be one that was opened for
 * its name only. Before user_become. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int user_give(const char *user, int file, struct error *error);

#endif
