#include "collector/output/delivery_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/output/sink_writer.h"
#include "collector/platform/clock.h"

size_t buffered_block_room(size_t record_size)
{
    return sink_options_block_room(record_size);
}

size_t buffered_block_memory(size_t record_size)
{
    return buffered_block_room(record_size) + DELIVERY_KEYS_SIZE +
           DELIVERY_RECORDS * (sizeof(struct delivery_record) + sizeof(struct encoded_counts));
}

bool buffered_block_make(struct buffered_block *buffered, size_t record_size)
{
    *buffered = (struct buffered_block){0};
    buffered->out.capacity = buffered_block_room(record_size);
    buffered->out.data = malloc(buffered->out.capacity);
    buffered->keys = malloc(DELIVERY_KEYS_SIZE);
    buffered->block.records = calloc(DELIVERY_RECORDS, sizeof buffered->block.records[0]);
    buffered->counts = calloc(DELIVERY_RECORDS, sizeof buffered->counts[0]);
    return buffered->out.data != NULL && buffered->keys != NULL &&
           buffered->block.records != NULL && buffered->counts != NULL;
}

void buffered_block_free(struct buffered_block *buffered)
{
    if (!buffered->block.lent)
        free(buffered->out.data);
    if (!buffered->block.lent || buffered->block.keys == NULL)
        free(buffered->keys);
    free(buffered->block.records);
    free(buffered->counts);
}

void buffered_block_begin(struct buffered_block *buffered, const char *head, size_t head_size)
{
    RULE(buffered->state == BLOCK_EMPTY && !buffered->block.lent, "only an empty block is filled");
    buffered->state = BLOCK_FILLED;
    buffered->out.used = 0;
    output_bytes(&buffered->out, head, head_size);
    buffered->keys_used = 0;
    buffered->block.count = 0;
    buffered->on_disk = false;
    buffered->route[0] = '\0';
}

/*
 * Remembers the schema's or listener's name for the block: `fact` becomes the name if all records
 * so far have this name and it is short enough, otherwise "".
 */
static void note_fact(char *fact, const char *name, bool first)
{
    if (first && strlen(name) < DELIVERY_FACT_SIZE)
        strcpy(fact, name);
    else if (first || strcmp(fact, name) != 0)
        fact[0] = '\0';
}

void buffered_block_add(struct buffered_block *buffered, size_t start,
                        const struct delivery_addition *one)
{
    struct delivery_block *block = &buffered->block;
    RULE(block->count < DELIVERY_RECORDS && start <= buffered->out.used &&
             one->key_size <= DELIVERY_KEYS_SIZE - buffered->keys_used,
         "a record is added to a block that is not full");
    bool first = block->count == 0;
    if (first)
        snprintf(buffered->route, sizeof buffered->route, "%s", one->route);
    note_fact(buffered->schema, one->schema, first);
    note_fact(buffered->listener, one->listener, first);
    buffered->counts[block->count] = one->counts;
    block->records[block->count++] = (struct delivery_record){
        .offset = (uint32_t)start,
        .size = (uint32_t)(buffered->out.used - start),
        .key = (uint32_t)buffered->keys_used,
        .key_size = (uint32_t)one->key_size,
        .lines = one->counts.lines,
        .samples = one->counts.samples,
    };
    if (one->key_size != 0)
        memcpy(buffered->keys + buffered->keys_used, one->key, one->key_size);
    buffered->keys_used += one->key_size;
}

bool buffered_block_is_full(const struct buffered_block *buffered)
{
    return buffered->out.used >= BLOCK_SIZE || buffered->block.count == DELIVERY_RECORDS ||
           buffered->keys_used + DELIVERY_KEY_SIZE > DELIVERY_KEYS_SIZE;
}

bool buffered_block_takes(const struct buffered_block *buffered, const char *route)
{
    return buffered->block.count == 0 || strcmp(buffered->route, route) == 0;
}

void buffered_block_seal(struct buffered_block *buffered, uint64_t first_number, int64_t now_ns)
{
    RULE(buffered->state == BLOCK_FILLED && buffered->block.count != 0,
         "a block that is sealed has records");
    buffered->begun_ns = now_ns;
    buffered->sealed_ns = clock_wall_ns();
    buffered_block_describe(buffered, first_number);
}

void buffered_block_describe(struct buffered_block *buffered, uint64_t first_number)
{
    struct delivery_block *block = &buffered->block;
    block->route = buffered->route;
    block->bytes = (const uint8_t *)buffered->out.data;
    block->size = buffered->out.used;
    block->keys = buffered->keys_used == 0 ? NULL : buffered->keys;
    block->first_number = first_number;
    block->again = false;
    block->tries = 0;
    block->schema = buffered->schema[0] == '\0' ? NULL : buffered->schema;
    block->listener = buffered->listener[0] == '\0' ? NULL : buffered->listener;
}

size_t buffered_block_open_records(const struct buffered_block *buffered)
{
    size_t count = 0;
    for (size_t i = 0; i < buffered->block.count; i++)
        count += !buffered->block.records[i].done;
    return count;
}

void buffered_block_queue(struct buffered_block **waiting, struct buffered_block *buffered)
{
    RULE(buffered->block.count != 0 && buffered->state != BLOCK_LEFT,
         "a block that waits has records");
    while (*waiting != NULL && (*waiting)->order < buffered->order)
        waiting = &(*waiting)->next;
    buffered->state = BLOCK_WAITS;
    RULE(*waiting == NULL || (*waiting)->order != buffered->order,
         "two blocks have no order in common");
    buffered->next = *waiting;
    *waiting = buffered;
}
