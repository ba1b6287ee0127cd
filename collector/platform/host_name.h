/* What this machine calls itself. Any thread. CMake picks the implementation under platform/. */
#ifndef SLUICE_COLLECTOR_PLATFORM_HOST_NAME_H
#define SLUICE_COLLECTOR_PLATFORM_HOST_NAME_H

#include <stddef.h>

#define HOST_NAME_SIZE 256

/* Writes its name, ended by a NUL; "localhost" where it has none. Returns its length. */
size_t host_name(char text[HOST_NAME_SIZE]);

#endif
