#include "collector/output/delivery_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/output/sink_writer.h"
#include "collector/platform/clock.h"

size_t held_block_room(size_t record_size)
{
    return sink_options_block_room(record_size);
}

size_t held_block_memory(size_t record_size)
{
    return held_block_room(record_size) + DELIVERY_KEYS_SIZE +
           DELIVERY_RECORDS * (sizeof(struct delivery_record) + sizeof(struct encoded_counts));
}

bool held_block_make(struct held_block *held, size_t record_size)
{
    *held = (struct held_block){0};
    held->out.capacity = held_block_room(record_size);
    held->out.data = malloc(held->out.capacity);
    held->keys = malloc(DELIVERY_KEYS_SIZE);
    held->block.records = calloc(DELIVERY_RECORDS, sizeof held->block.records[0]);
    held->counts = calloc(DELIVERY_RECORDS, sizeof held->counts[0]);
    return held->out.data != NULL && held->keys != NULL && held->block.records != NULL &&
           held->counts != NULL;
}

void held_block_free(struct held_block *held)
{
    if (!held->block.lent)
        free(held->out.data);
    if (!held->block.lent || held->block.keys == NULL)
        free(held->keys);
    free(held->block.records);
    free(held->counts);
}

void held_block_begin(struct held_block *held, const char *head, size_t head_size)
{
    held->state = BLOCK_FILLED;
    held->out.used = 0;
    output_bytes(&held->out, head, head_size);
    held->keys_used = 0;
    held->block.count = 0;
    held->on_disk = false;
    held->route[0] = '\0';
}

/* Its name is kept while it is the same for all records; else, or where it is too long, "". */
static void note_fact(char *fact, const char *name, bool first)
{
    if (first && strlen(name) < DELIVERY_FACT_SIZE)
        strcpy(fact, name);
    else if (first || strcmp(fact, name) != 0)
        fact[0] = '\0';
}

void held_block_add(struct held_block *held, size_t start, const struct delivery_addition *one)
{
    struct delivery_block *block = &held->block;
    bool first = block->count == 0;
    if (first)
        snprintf(held->route, sizeof held->route, "%s", one->route);
    note_fact(held->schema, one->schema, first);
    note_fact(held->listener, one->listener, first);
    held->counts[block->count] = one->counts;
    block->records[block->count++] = (struct delivery_record){
        .offset = (uint32_t)start,
        .size = (uint32_t)(held->out.used - start),
        .key = (uint32_t)held->keys_used,
        .key_size = (uint32_t)one->key_size,
        .lines = one->counts.lines,
        .samples = one->counts.samples,
    };
    if (one->key_size != 0)
        memcpy(held->keys + held->keys_used, one->key, one->key_size);
    held->keys_used += one->key_size;
}

bool held_block_is_full(const struct held_block *held)
{
    return held->out.used >= BLOCK_SIZE || held->block.count == DELIVERY_RECORDS ||
           held->keys_used + DELIVERY_KEY_SIZE > DELIVERY_KEYS_SIZE;
}

bool held_block_takes(const struct held_block *held, const char *route)
{
    return held->block.count == 0 || strcmp(held->route, route) == 0;
}

void held_block_seal(struct held_block *held, uint64_t first_number, int64_t now_ns)
{
    held->begun_ns = now_ns;
    held->sealed_ns = clock_wall_ns();
    held_block_describe(held, first_number);
}

void held_block_describe(struct held_block *held, uint64_t first_number)
{
    struct delivery_block *block = &held->block;
    block->route = held->route;
    block->bytes = (const uint8_t *)held->out.data;
    block->size = held->out.used;
    block->keys = held->keys_used == 0 ? NULL : held->keys;
    block->first_number = first_number;
    block->again = false;
    block->tries = 0;
    block->schema = held->schema[0] == '\0' ? NULL : held->schema;
    block->listener = held->listener[0] == '\0' ? NULL : held->listener;
}

size_t held_block_open_records(const struct held_block *held)
{
    size_t count = 0;
    for (size_t i = 0; i < held->block.count; i++)
        count += !held->block.records[i].done;
    return count;
}

void held_block_queue(struct held_block **waiting, struct held_block *held)
{
    while (*waiting != NULL && (*waiting)->order < held->order)
        waiting = &(*waiting)->next;
    held->state = BLOCK_WAITS;
    held->next = *waiting;
    *waiting = held;
}
