/*
 * Reports how it was started: writes a line of hexadecimal digits for each argument, a line that
 * ends them, then standard input unchanged. The exit code is the number of arguments.
 */
#include <stdio.h>

#include "collector/platform/process.h"

int program_main(int argc, char **argv)
{
    char block[4096];
    size_t got;
    for (int i = 1; i < argc; i++) {
        for (const char *byte = argv[i]; *byte != '\0'; byte++)
            printf("%02x", (unsigned)(unsigned char)*byte);
        putchar('\n');
    }
    puts("end of arguments");
    while ((got = fread(block, 1, sizeof block, stdin)) > 0)
        fwrite(block, 1, got, stdout);
    fputs("ended\n", stderr);
    return argv[argc] == NULL ? argc - 1 : -1;
}
