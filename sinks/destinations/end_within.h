/*
 * Ends an object of a library with a time limit, because the library may block, for example in a
 * name lookup, and must not delay a stop.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_END_WITHIN_H
#define SLUICE_SINKS_DESTINATIONS_END_WITHIN_H

/*
 * Calls `end(object)` in a new thread and waits at most `ms` milliseconds for the call. After that
 * the thread continues without the caller and owns the object. If no thread can be started, `end`
 * is called in the caller's thread.
 */
void end_within(void (*end)(void *object), void *object, int ms);

#endif
