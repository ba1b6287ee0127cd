#include "sinks/destinations/torn_outputs.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct torn_output {
    struct torn_output *next;
    char name[];
};

/* A spin lock, because the list is short and rarely used. */
static atomic_flag lock = ATOMIC_FLAG_INIT;
static struct torn_output *outputs;

static void take_lock(void)
{
    while (atomic_flag_test_and_set(&lock))
        continue;
}

void torn_outputs_add(const char *name)
{
    size_t size = strlen(name) + 1;
    struct torn_output *output = malloc(sizeof *output + size);
    if (output == NULL)
        return;
    memcpy(output->name, name, size);
    take_lock();
    output->next = outputs;
    outputs = output;
    atomic_flag_clear(&lock);
}

bool torn_outputs_remove(const char *name)
{
    take_lock();
    struct torn_output **link = &outputs;
    while (*link != NULL && strcmp((*link)->name, name) != 0)
        link = &(*link)->next;
    struct torn_output *found = *link;
    if (found != NULL)
        *link = found->next;
    atomic_flag_clear(&lock);
    free(found);
    return found != NULL;
}
