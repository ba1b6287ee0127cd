/* The operating system's part of the actor (actor.c); CMake picks the file. */
#ifndef SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H
#define SLUICE_TESTS_SUPPORT_PROGRAMS_ACTOR_SYSTEM_H

/* Has bytes go through the standard streams as they are. */
void actor_begin(void);

/* Starts the program with these words, at blanks (at most 8), as arguments. */
void actor_start_beside(const char *program, const char *words);

void actor_sleep(void);

/* For a few milliseconds. */
void actor_pause(void);

#endif
