/*
 * Who may open what this program makes under a name: its own user, and, as everywhere, the system
 * and its administrators. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_OWN_ACCESS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_OWN_ACCESS_H

#include <stdbool.h>
#include <windows.h>

/*
 * Attributes for one of Windows' Create functions; a handle made with them is not inherited.
 * Returns false where they cannot be had (GetLastError says why); else own_access_free them.
 */
bool own_access_make(SECURITY_ATTRIBUTES *attributes);
void own_access_free(SECURITY_ATTRIBUTES *attributes);

#endif
