#include "tests/support/programs/actor_system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void actor_begin(void)
{
}

void actor_start_beside(const char *program, const char *words)
{
    char text[256];
    char *arguments[10] = {(char[]){"actor"}};
    size_t count = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL && count < 9; word = strtok(NULL, " "))
        arguments[count++] = word;
    if (fork() == 0) {
        execv(program, arguments);
        _exit(98);
    }
}

void actor_sleep(void)
{
    for (;;)
        sleep(1000);
}

void actor_pause(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}
