/* The part of the actor (actor.c) that depends on the operating system; CMake chooses the file. */
#ifndef SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H
#define SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H

/* Lets bytes pass unchanged through the standard streams. */
void actor_begin(void);

/*
 * Starts the actor again with these words, which are separated by blanks (at most 8), as arguments.
 */
void actor_start_beside(const char *program, const char *words);

void actor_sleep(void);

/* Sleeps for a few milliseconds. */
void actor_pause(void);

#endif
