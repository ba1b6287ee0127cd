/*
 * The kinds of control events. Each has a named event, which another process can set. Only for
 * platform/windows/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_KINDS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_KINDS_H

#include <stddef.h>
#include <wchar.h>

#include "collector/platform/control.h"

#define CONTROL_KINDS 3

/* In the order in which they are reported. */
extern const enum control_event control_kinds[CONTROL_KINDS];

/* Returns the index of an event in control_kinds, or CONTROL_KINDS. */
size_t control_kind(enum control_event event);

/* Characters of the longest name, including its NUL. */
#define CONTROL_NAME_SIZE 40

/*
 * Writes the name of a process's event of this kind: "Global\sluice-1234-stop", which is visible in
 * every session, even if the process is a service.
 */
void control_kind_name(size_t kind, unsigned long process, wchar_t name[CONTROL_NAME_SIZE]);

#endif
