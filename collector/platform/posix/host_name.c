#include "collector/platform/machine.h"

#include <string.h>
#include <unistd.h>

size_t host_name(char text[HOST_NAME_SIZE])
{
    text[HOST_NAME_SIZE - 1] = '\0';
    if (gethostname(text, HOST_NAME_SIZE - 1) != 0 || text[0] == '\0')
        strcpy(text, "localhost");
    return strlen(text);
}
