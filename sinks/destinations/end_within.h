/*
 * Destroys a library's object with a time limit. Such a call may block, for example in a name
 * lookup, and must not delay the program's stop.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_END_WITHIN_H
#define SLUICE_SINKS_DESTINATIONS_END_WITHIN_H

/*
 * Calls `end(object)` in a new thread and waits at most `ms` milliseconds for it. After that time
 * the thread continues on its own and owns the object. If no thread can be started, calls `end` in
 * the caller's thread.
 */
void end_within(void (*end)(void *object), void *object, int ms);

#endif
