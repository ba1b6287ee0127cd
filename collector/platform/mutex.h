/* A lock that one thread holds at a time; it must not be taken again by its holder. */
#ifndef SLUICE_COLLECTOR_PLATFORM_MUTEX_H
#define SLUICE_COLLECTOR_PLATFORM_MUTEX_H

struct mutex;

/* Returns NULL where memory is short. */
struct mutex *mutex_create(void);

/* Nobody may hold it. NULL is allowed. */
void mutex_destroy(struct mutex *mutex);

void mutex_lock(struct mutex *mutex);
void mutex_unlock(struct mutex *mutex);

#endif
