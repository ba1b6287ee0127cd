#include "sinks/destinations/torn_places.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct torn_place {
    struct torn_place *next;
    char name[];
};

/* Few, and rarely looked at: nobody holds the lock for long. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static struct torn_place *places;

static void take_lock(void)
{
    while (atomic_flag_test_and_set(&lock))
        continue;
}

void torn_places_add(const char *name)
{
    size_t size = strlen(name) + 1;
    struct torn_place *place = malloc(sizeof *place + size);
    if (place == NULL)
        return;
    memcpy(place->name, name, size);
    take_lock();
    place->next = places;
    places = place;
    atomic_flag_clear(&lock);
}

bool torn_places_take(const char *name)
{
    take_lock();
    struct torn_place **link = &places;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    struct torn_place *found = *link;
    if (found != NULL)
        *link = found->next;
    atomic_flag_clear(&lock);
    free(found);
    return found != NULL;
}
