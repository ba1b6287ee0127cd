/*
 * Declares the functions of actor.c that depend on the operating system. CMake chooses their
 * implementation.
 */
#ifndef SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H
#define SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H

/* Switches the standard streams to binary mode, so that bytes pass unchanged. */
void actor_begin(void);

/*
 * Starts the actor again with these words as arguments. They are separated by spaces; at most 8 are
 * allowed.
 */
void actor_start_beside(const char *program, const char *words);

void actor_sleep(void);

/* Sleeps for a few milliseconds. */
void actor_pause(void);

#endif
