/* Implements shared_library_version() of collector/platform/shared_library.h. */
#include "collector/platform/shared_library.h"

#include <stdio.h>
#include <string.h>

const char *shared_library_version(char text[SHARED_LIBRARY_VERSION_SIZE], const char *name,
                                   const char *said)
{
    const char *number = said == NULL ? "(not on this system)" : said + strcspn(said, "0123456789");
    size_t length = said == NULL ? strlen(number) : strcspn(number, " ");
    snprintf(text, SHARED_LIBRARY_VERSION_SIZE, "%s %.*s", name, (int)length, number);
    return text;
}
