#include "collector/platform/windows/system_error.h"

#include <stdio.h>
#include <string.h>
#include <windows.h>

#include "collector/platform/windows/text.h"

struct system_error system_error(unsigned long number)
{
    struct system_error made;
    wchar_t wide[SYSTEM_ERROR_SIZE];
    char text[SYSTEM_ERROR_SIZE * 3];
    DWORD before = GetLastError();
    /* In English, if the system has such texts. */
    static const DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    static const DWORD english = MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US);
    DWORD length = FormatMessageW(flags, NULL, number, english, wide, SYSTEM_ERROR_SIZE, NULL);
    if (length == 0)
        length = FormatMessageW(flags, NULL, number, 0, wide, SYSTEM_ERROR_SIZE, NULL);
    if (length == 0 || !text_from_wide(wide, text, sizeof text)) {
        snprintf(made.text, sizeof made.text, "error %lu", number);
    } else {
        /* Each text ends with a dot and a line break. */
        for (size_t end = strlen(text); end > 0 && strchr(" .\r\n", text[end - 1]) != NULL; end--)
            text[end - 1] = '\0';
        snprintf(made.text, sizeof made.text, "%.200s (error %lu)", text, number);
    }
    SetLastError(before);
    return made;
}
