/* Uses the C library that is part of Windows 10, whichever C library the program is linked with. */
#include "tests/support/text/read_number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static FARPROC find(const char *name)
{
    HMODULE library = LoadLibraryW(L"ucrtbase.dll");
    FARPROC found = library == NULL ? NULL : GetProcAddress(library, name);
    if (found == NULL) {
        fprintf(stderr, "no %s in ucrtbase.dll\n", name);
        exit(1);
    }
    return found;
}

double read_double(const char *text)
{
    static double (*read)(const char *text, char **end);
    if (read == NULL) {
        FARPROC found = find("strtod");
        memcpy(&read, &found, sizeof read);
    }
    return read(text, NULL);
}

float read_float(const char *text)
{
    static float (*read)(const char *text, char **end);
    if (read == NULL) {
        FARPROC found = find("strtof");
        memcpy(&read, &found, sizeof read);
    }
    return read(text, NULL);
}
