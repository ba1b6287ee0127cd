#include "tests/support/programs/actor_system.h"

#include <fcntl.h>
#include <io.h>
#include <process.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

void actor_begin(void)
{
    _setmode(0, _O_BINARY);
    _setmode(1, _O_BINARY);
    _setmode(2, _O_BINARY);
}

void actor_start_beside(const char *program, const char *words)
{
    char text[256];
    const char *arguments[10] = {"actor"};
    size_t count = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word != NULL && count < 9; word = strtok(NULL, " "))
        arguments[count++] = word;
    if (_spawnv(_P_NOWAIT, program, arguments) == -1)
        exit(98);
}

void actor_sleep(void)
{
    Sleep(INFINITE);
}

void actor_pause(void)
{
    Sleep(5);
}
