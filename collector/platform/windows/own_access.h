/*
 * Restricts access to named objects of this program to its own user, the system and administrators.
 * Only for platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_OWN_ACCESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_OWN_ACCESS_H

#include <stdbool.h>
#include <windows.h>

/*
 * Fills attributes for Windows' Create functions; a handle created with them is not inherited.
 * own_access_free frees them. Returns false on failure (see GetLastError).
 */
bool own_access_make(SECURITY_ATTRIBUTES *attributes);
void own_access_free(SECURITY_ATTRIBUTES *attributes);

#endif
