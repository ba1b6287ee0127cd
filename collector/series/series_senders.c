#include "collector/series/series_senders.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"

/* Marks all places as free. This also makes the system give them pages now and not later. */
static void free_all(struct series_senders *senders)
{
    for (size_t i = 1; i <= senders->most; i++)
        senders->places[i] = (struct series_sender){.next = (uint32_t)(i + 1)};
    senders->places[senders->most].next = SERIES_NO_SENDER;
    senders->free = 1;
}

bool series_senders_init(struct series_senders *senders, size_t most)
{
    *senders = (struct series_senders){.most = most};
    senders->places = malloc((most + 1) * sizeof *senders->places);
    senders->chains = malloc(most * sizeof *senders->chains);
    if (senders->places == NULL || senders->chains == NULL)
        return false;
    memset(senders->chains, 0, most * sizeof *senders->chains);
    free_all(senders);
    return true;
}

void series_senders_free(struct series_senders *senders)
{
    free(senders->places);
    free(senders->chains);
    *senders = (struct series_senders){0};
}

size_t series_senders_memory(size_t most)
{
    return (most + 1) * sizeof(struct series_sender) + most * sizeof(uint32_t);
}

static uint32_t *chain_of(const struct series_senders *senders, uint64_t id)
{
    return &senders->chains[(id >> 32) * senders->most >> 32];
}

/* Returns the link to the sender, or the link at the end of its chain. */
static uint32_t *link_to(const struct series_senders *senders, uint64_t id)
{
    uint32_t *link = chain_of(senders, id);
    while (*link != SERIES_NO_SENDER && senders->places[*link].id != id)
        link = &senders->places[*link].next;
    return link;
}

uint32_t series_senders_count(const struct series_senders *senders, uint64_t id)
{
    uint32_t place = *link_to(senders, id);
    return place == SERIES_NO_SENDER ? 0 : senders->places[place].count;
}

uint32_t series_senders_add(struct series_senders *senders, uint64_t id)
{
    uint32_t *link = link_to(senders, id);
    if (*link == SERIES_NO_SENDER) {
        uint32_t place = senders->free;
        RULE(place != SERIES_NO_SENDER, "each sender in the table has a series");
        senders->free = senders->places[place].next;
        senders->places[place] = (struct series_sender){.id = id};
        *link = place;
    }
    senders->places[*link].count++;
    return *link;
}

void series_senders_remove(struct series_senders *senders, uint32_t place)
{
    struct series_sender *sender = &senders->places[place];
    RULE(place != SERIES_NO_SENDER && sender->count != 0, "a series is removed once");
    if (--sender->count != 0)
        return;
    uint32_t *link = link_to(senders, sender->id);
    RULE(*link == place, "a sender has one place");
    *link = sender->next;
    sender->next = senders->free;
    senders->free = place;
}
