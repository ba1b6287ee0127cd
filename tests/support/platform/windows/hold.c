/*
 * Opens a file as most Windows programs do to read it: other programs can read and write it, but
 * not rename or remove it. `hold FILE exclusively` opens it without sharing, so that other programs
 * cannot open it. Writes "held" to standard output, and closes the file at the end of standard
 * input.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/process.h"
#include "collector/platform/windows/text.h"

int program_main(int argc, char **argv)
{
    wchar_t *path = argc > 1 ? text_wide_copy(argv[1]) : NULL;
    bool exclusively = argc > 2 && strcmp(argv[2], "exclusively") == 0;
    HANDLE file = path == NULL ? INVALID_HANDLE_VALUE
                               : CreateFileW(path, GENERIC_READ,
                                             exclusively ? 0 : FILE_SHARE_READ | FILE_SHARE_WRITE,
                                             NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    free(path);
    if (file == INVALID_HANDLE_VALUE) {
        fprintf(stderr, "hold: error %lu\n", GetLastError());
        return 1;
    }
    puts("held");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    CloseHandle(file);
    return 0;
}
