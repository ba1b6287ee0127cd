/*
 * Creates the given file, writes a byte to standard output, and then keeps the file open and locked
 * until the program is killed.
 */
#include <string.h>
#include <windows.h>

#include "collector/platform/data_file.h"
#include "collector/platform/process.h"

int program_main(int argc, char **argv)
{
    struct part_file *file;
    DWORD written;
    if (argc != 2 || part_file_open_new(argv[1], strlen(argv[1]), 0, &file, NULL) != PART_DONE ||
        !WriteFile(GetStdHandle(STD_OUTPUT_HANDLE), "+", 1, &written, NULL))
        return 1;
    for (;;)
        Sleep(INFINITE);
}
