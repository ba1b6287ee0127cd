/* Declares renameat2(2) if the C library does not: musl 1.2.3. */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_RENAMEAT2_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_RENAMEAT2_H

#include <stdio.h> /* declares it in other C libraries */

#ifndef RENAME_NOREPLACE
#define RENAME_NOREPLACE 1

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
#endif

#endif
