/*
 * Ends what a library may take long to end, as while it looks up a name that nobody answers, so
 * that a stop is not late for it.
 */
#ifndef SLUICE_SINKS_DESTINATIONS_END_WITHIN_H
#define SLUICE_SINKS_DESTINATIONS_END_WITHIN_H

/*
 * Calls `end(object)` in a thread of its own, and returns when it has returned, or after `ms`
 * milliseconds; then the thread goes on alone, and the object is its own. Where no thread can be
 * started, `end` is called here.
 */
void end_within(void (*end)(void *object), void *object, int ms);

#endif
