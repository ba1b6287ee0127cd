/*
 * The kinds of wishes that reach a collector from outside, and the named event of each, by which
 * another process shows that it has one. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_KINDS_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_CONTROL_KINDS_H

#include <stddef.h>
#include <wchar.h>

#include "collector/platform/control.h"

#define CONTROL_KINDS 3

/* The first is reported first. */
extern const enum control_event control_kinds[CONTROL_KINDS];

/* The place of an event among them, or CONTROL_KINDS. */
size_t control_kind(enum control_event event);

/* Characters of the longest name, with its end. */
#define CONTROL_NAME_SIZE 40

/*
 * The event of one kind in the process of that id: "Global\sluice-1234-stop", so that it is found
 * from every session, also where the process is a service.
 */
void control_kind_name(size_t kind, unsigned long process, wchar_t name[CONTROL_NAME_SIZE]);

#endif
