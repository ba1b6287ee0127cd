/* Calls program_main() from wmain, which gets the arguments in UTF-16. */
#include "collector/platform/process.h"

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <windows.h>

#include "collector/base/error.h"
#include "collector/platform/windows/arguments.h"

int wmain(int argc, wchar_t **argv);

/* In text mode the C library would write a newline as two bytes, and treat Ctrl-Z as the end. */
static void pass_bytes(FILE *stream)
{
    int descriptor = _fileno(stream);
    if (descriptor >= 0) /* a service has no streams */
        _setmode(descriptor, _O_BINARY);
}

int wmain(int argc, wchar_t **argv)
{
    char **arguments = arguments_from_wide(argc, argv);
    if (arguments == NULL) {
        fputs("no memory for the arguments\n", stderr);
        return EXIT_CODE_INTERNAL;
    }
    pass_bytes(stdin);
    pass_bytes(stdout);
    pass_bytes(stderr);
    /* The console shows this program's output as UTF-8. Its code page is restored at the end. */
    UINT before = GetConsoleOutputCP();
    if (before != 0)
        SetConsoleOutputCP(CP_UTF8);
    int code = program_main(argc, arguments);
    fflush(stdout);
    if (before != 0)
        SetConsoleOutputCP(before);
    arguments_free(arguments);
    return code;
}
