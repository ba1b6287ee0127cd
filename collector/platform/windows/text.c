#include "collector/platform/windows/text.h"

#include <limits.h>
#include <stdlib.h>
#include <windows.h>

bool text_to_wide(const char *text, wchar_t *wide, size_t size)
{
    int room = size > INT_MAX ? INT_MAX : (int)size;
    return room > 0 &&
           MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, room) != 0;
}

wchar_t *text_wide_copy(const char *text)
{
    int size = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    wchar_t *copy = size > 0 ? calloc((size_t)size, sizeof *copy) : NULL;
    if (copy != NULL)
        MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, copy, size);
    else if (size > 0)
        SetLastError(ERROR_NOT_ENOUGH_MEMORY); /* calloc does not set it */
    return copy;
}

bool text_from_wide(const wchar_t *wide, char *text, size_t size)
{
    int room = size > INT_MAX ? INT_MAX : (int)size;
    return room > 0 && WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, room, NULL, NULL) != 0;
}

char *text_from_wide_copy(const wchar_t *wide)
{
    int size = WideCharToMultiByte(CP_UTF8, 0, wide, -1, NULL, 0, NULL, NULL);
    char *copy = size > 0 ? malloc((size_t)size) : NULL;
    if (copy != NULL)
        WideCharToMultiByte(CP_UTF8, 0, wide, -1, copy, size, NULL, NULL);
    else if (size > 0)
        SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    return copy;
}
