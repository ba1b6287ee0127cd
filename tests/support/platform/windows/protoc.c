/*
 * Replaces protoc.exe under Wine. Runs the protoc of Linux with the same arguments, and converts
 * Windows paths in them to Linux paths. Wine has a function that starts Linux programs
 * (spawn_function below).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/process.h"
#include "collector/platform/windows/text.h"

/*
 * The types of two functions of Wine. unix_name_function allocates its result from the process's
 * heap.
 */
typedef LONG(WINAPI *spawn_function)(char *const arguments[], int wait);
typedef char *(CDECL *unix_name_function)(const wchar_t *path);

typedef void (*any_function)(void);

static any_function function_of(const char *library, const char *name)
{
    FARPROC function = GetProcAddress(GetModuleHandleA(library), name);
    if (function == NULL) {
        fprintf(stderr, "protoc.exe: this is not Wine 8: %s has no %s\n", library, name);
        exit(1);
    }
    return (any_function)function;
}

/*
 * Replaces Wine's link for a drive, PREFIX/dosdevices/c:, by its target, PREFIX/drive_c or the
 * root. protoc would read the colon as a separator of folders.
 */
static void resolve_drive(char *path)
{
    static const char links[] = "/dosdevices/";
    char *link = strstr(path, links);
    char *drive = link == NULL ? NULL : link + sizeof links - 1;
    if (drive == NULL || strchr("cz", drive[0]) == NULL || drive[1] != ':')
        return;
    if (drive[0] == 'z') {
        memmove(path, drive + 2, strlen(drive + 2) + 1);
    } else {
        memcpy(link, "/drive_c", sizeof "/drive_c" - 1);
        memmove(link + sizeof "/drive_c" - 1, drive + 2, strlen(drive + 2) + 1);
    }
}

/* Returns the Linux path for an absolute Windows path, or NULL if it has none. */
static char *path_of_linux(const char *path)
{
    unix_name_function unix_name =
        (unix_name_function)function_of("kernel32.dll", "wine_get_unix_file_name");
    wchar_t *wide = text_wide_copy(path);
    char *name = wide != NULL ? unix_name(wide) : NULL;
    free(wide);
    if (name != NULL)
        resolve_drive(name);
    return name;
}

/* Converts the path at the end of "--option=PATH", "--proto_path==PATH" or "PATH". */
static char *argument_of_linux(char *argument)
{
    char *path =
        argument[0] == '-' && strrchr(argument, '=') != NULL ? strchr(argument, '=') + 1 : argument;
    path += *path == '=';
    for (char *at = path; *at != '\0'; at++)
        if (*at == '\\')
            *at = '/';
    if (path[0] == '\0' || path[1] != ':')
        return argument;
    char *of_linux = path_of_linux(path);
    size_t before = (size_t)(path - argument);
    char *made = of_linux != NULL ? malloc(before + strlen(of_linux) + 1) : NULL;
    if (made == NULL) {
        fprintf(stderr, "protoc.exe: %s has no path of Linux\n", path);
        exit(1);
    }
    memcpy(made, argument, before);
    strcpy(made + before, of_linux);
    return made; /* never freed, like the other arguments */
}

/* --- running protoc --------------------------------------------------------------------------- */

/*
 * Creates an empty file for the messages of protoc. Without this file they would go to the standard
 * streams of Wine.
 */
static bool make_report(wchar_t path[MAX_PATH])
{
    wchar_t folder[MAX_PATH];
    DWORD length = GetTempPathW(MAX_PATH, folder);
    return length != 0 && length < MAX_PATH && GetTempFileNameW(folder, L"pro", 0, path) != 0;
}

static void pass_on(const wchar_t *path, FILE *to)
{
    char bytes[4096];
    size_t got;
    FILE *from = _wfopen(path, L"rb");
    while (from != NULL && (got = fread(bytes, 1, sizeof bytes, from)) != 0)
        fwrite(bytes, 1, got, to);
    if (from != NULL)
        fclose(from);
    DeleteFileW(path);
}

int program_main(int argc, char **argv)
{
    static char shell[] = "sh", option[] = "-c", script[] = "exec protoc \"$@\" >\"$0\" 2>&1";
    spawn_function spawn = (spawn_function)function_of("ntdll.dll", "__wine_unix_spawnvp");
    wchar_t report[MAX_PATH];
    char **arguments = calloc((size_t)argc + 4, sizeof *arguments);
    char *name = make_report(report) ? text_from_wide_copy(report) : NULL;
    if (arguments == NULL || name == NULL) {
        fprintf(stderr, "protoc.exe: cannot create a file\n");
        return 1;
    }
    arguments[0] = shell;
    arguments[1] = option;
    arguments[2] = script;
    arguments[3] = argument_of_linux(name);
    for (int i = 1; i < argc; i++)
        arguments[3 + i] = argument_of_linux(argv[i]);
    int code = (int)spawn(arguments, 1);
    /* Only --version writes to standard output. */
    pass_on(report, argc == 2 && code == 0 ? stdout : stderr);
    return code;
}
