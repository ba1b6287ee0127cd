/*
 * The functions that the compiler calls for each memory access (-fsanitize=thread), and the memory
 * of a run.
 *
 * All stores of a run to an atomic object are kept. A load may see any of them, except stores that
 * its thread knows to be older than one that it has seen. Which store it sees is a choice. A
 * release passes on the knowledge of its thread, and an acquire takes it over. A read-modify-write
 * also passes on what the store before it passed on. Sequentially consistent operations happen in
 * the order of the run: such a load does not see a store older than the last such store. An object
 * that only one thread uses is accessed directly.
 *
 * For other memory, the last write and the last reads of each byte are kept. If another thread
 * accesses a byte without knowing of them, that is a race.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/parts.h"

/* --- memory of a run -------------------------------------------------------------------------- */

#define ARENA_SIZE ((size_t)24 * 1024 * 1024)
/* The number of bytes at the beginning of the arena that are checked for races. */
#define WATCHED    ((size_t)2 * 1024 * 1024)

static _Alignas(4096) unsigned char arena[ARENA_SIZE];
static size_t arena_used;

void *memory_take(size_t alignment, size_t size)
{
    arena_used = (arena_used + alignment - 1) & ~(alignment - 1);
    if (size > ARENA_SIZE - arena_used)
        abort();
    void *memory = arena + arena_used;
    arena_used += size;
    return memory;
}

bool memory_is_a_runs(const void *memory)
{
    const unsigned char *at = memory;
    return at >= arena && at < arena + ARENA_SIZE;
}

/* --- atomic objects --------------------------------------------------------------------------- */

#define MOST_STORES 64 /* most stores to one object */
#define MOST_SHARED 256

enum order { RELAXED, CONSUME, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

struct store {
    uint64_t value;
    uint64_t id;      /* a hash of what its thread had seen */
    struct past past; /* what an acquiring load learns from it */
    bool passes;      /* it is a release, or a read-modify-write after one */
};

struct object {
    const volatile void *address;
    struct store stores[MOST_STORES];
    size_t count;
    size_t last_consistent; /* index of the last sequentially consistent store */
};

static struct object objects[MOST_OBJECTS];
static size_t object_count;
static uint64_t order_of_stores;

/* Addresses that several threads have used in this exploration. */
static const volatile void *shared[MOST_SHARED];
static size_t shared_count;

/* Addresses that only one thread has used in this run so far. */
#define MOST_USED 4096
static struct {
    const volatile void *address;
    int thread;
} used[MOST_USED];
static size_t used_count;

void memory_forget_shared(void)
{
    shared_count = 0;
}

static bool is_shared(const volatile void *address)
{
    for (size_t i = 0; i < shared_count; i++)
        if (shared[i] == address)
            return true;
    int thread = explorer_current();
    for (size_t i = 0; i < used_count; i++) {
        if (used[i].address != address)
            continue;
        if (used[i].thread == thread)
            return false;
        if (shared_count == MOST_SHARED)
            abort();
        shared[shared_count++] = address;
        explorer_again();
    }
    if (used_count == MOST_USED)
        abort();
    used[used_count].address = address;
    used[used_count++].thread = thread;
    return false;
}

/* Reports a fault if the address is NULL or that of a member of a NULL object. */
static void expect_there(const volatile void *address)
{
    if ((uintptr_t)address < 4096)
        explorer_fault("what is not there is used");
}

static uint64_t hardware_value(const volatile void *address, size_t size)
{
    expect_there(address);
    switch (size) {
    case 1:
        return *(const volatile uint8_t *)address;
    case 2:
        return *(const volatile uint16_t *)address;
    case 4:
        return *(const volatile uint32_t *)address;
    default:
        return *(const volatile uint64_t *)address;
    }
}

static void set_hardware(volatile void *address, size_t size, uint64_t value)
{
    expect_there(address);
    switch (size) {
    case 1:
        *(volatile uint8_t *)address = (uint8_t)value;
        break;
    case 2:
        *(volatile uint16_t *)address = (uint16_t)value;
        break;
    case 4:
        *(volatile uint32_t *)address = (uint32_t)value;
        break;
    default:
        *(volatile uint64_t *)address = value;
        break;
    }
}

static size_t object_at(const volatile void *address, size_t size)
{
    for (size_t i = 0; i < object_count; i++)
        if (objects[i].address == address)
            return i;
    if (object_count == MOST_OBJECTS)
        abort();
    struct object *object = &objects[object_count];
    object->address = address;
    object->count = 1;
    object->last_consistent = 0;
    object->stores[0] = (struct store){.value = hardware_value(address, size), .id = object_count};
    return object_count++;
}

/* --- weakened memory orders ------------------------------------------------------------------- */

#define MOST_SITES 512
static struct model_site sites[MOST_SITES];
static size_t site_count;
static size_t weakened = MOST_SITES;

size_t model_sites(void)
{
    return site_count;
}

struct model_site model_site(size_t index)
{
    return sites[index];
}

void model_weaken(size_t index)
{
    weakened = index;
}

static enum order order_at(const void *site, const char *operation, int given)
{
    size_t i = 0;
    if (given == RELAXED)
        return RELAXED;
    while (i < site_count && sites[i].address != site)
        i++;
    if (i == MOST_SITES)
        abort();
    if (i == site_count)
        sites[site_count++] = (struct model_site){site, operation, given};
    return i == weakened ? RELAXED : (enum order)given;
}

/* --- loads and stores ------------------------------------------------------------------------- */

static bool acquires(enum order order)
{
    return order == CONSUME || order == ACQUIRE || order == ACQ_REL || order == SEQ_CST;
}

static bool releases(enum order order)
{
    return order == RELEASE || order == ACQ_REL || order == SEQ_CST;
}

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t z = (a + UINT64_C(0x9e3779b97f4a7c15)) ^ (b * UINT64_C(0xd6e8feb86659fd93));
    z = (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 29;
}

static struct past *next_step(void)
{
    int thread = explorer_current();
    struct past *past = explorer_past(thread);
    past->steps[thread]++;
    return past;
}

static void see(struct past *past, size_t index, size_t which, enum order order)
{
    const struct store *store = &objects[index].stores[which];
    past->oldest[index] = (uint16_t)which;
    if (acquires(order) && store->passes)
        past_join(past, &store->past);
    explorer_note(index + 16, store->id);
}

static size_t choose_store(const struct past *past, size_t index, enum order order)
{
    const struct object *object = &objects[index];
    size_t oldest = past->oldest[index];
    if (order == SEQ_CST && object->last_consistent > oldest)
        oldest = object->last_consistent;
    return object->count - 1 - explorer_choose(object->count - oldest);
}

static void append(struct past *past, size_t index, uint64_t value, enum order order,
                   const struct store *before)
{
    struct object *object = &objects[index];
    if (object->count == MOST_STORES)
        explorer_fault("more stores to one object than are kept");
    struct store *store = &object->stores[object->count];
    past->oldest[index] = (uint16_t)object->count;
    explorer_note(index + 16, value);
    *store = (struct store){.value = value, .id = explorer_seen()};
    store->passes = releases(order) || (before != NULL && before->passes);
    if (releases(order))
        store->past = *past;
    if (before != NULL && before->passes)
        past_join(&store->past, &before->past);
    if (order == SEQ_CST)
        object->last_consistent = object->count;
    object->count++;
    order_of_stores += mixed(mixed(index, object->count), store->id);
}

static uint64_t load(const volatile void *address, size_t size, int given, const void *site)
{
    enum order order = order_at(site, "load", given);
    if (explorer_current() == NOBODY || !is_shared(address))
        return hardware_value(address, size);
    explorer_step();
    size_t index = object_at(address, size);
    struct past *past = next_step();
    size_t which = choose_store(past, index, order);
    see(past, index, which, order);
    return objects[index].stores[which].value;
}

static void store(volatile void *address, size_t size, uint64_t value, int given, const void *site)
{
    enum order order = order_at(site, "store", given);
    if (explorer_current() == NOBODY || !is_shared(address)) {
        set_hardware(address, size, value);
        return;
    }
    explorer_step();
    size_t index = object_at(address, size);
    append(next_step(), index, value, order, NULL);
    set_hardware(address, size, value);
}

typedef uint64_t changer(uint64_t before, uint64_t operand);

static uint64_t exchange(uint64_t before, uint64_t operand)
{
    (void)before;
    return operand;
}

static uint64_t add(uint64_t before, uint64_t operand)
{
    return before + operand;
}

static uint64_t subtract(uint64_t before, uint64_t operand)
{
    return before - operand;
}

static uint64_t bits_or(uint64_t before, uint64_t operand)
{
    return before | operand;
}

static uint64_t bits_and(uint64_t before, uint64_t operand)
{
    return before & operand;
}

static uint64_t narrow(uint64_t value, size_t size)
{
    return size == 8 ? value : value & ((UINT64_C(1) << 8 * size) - 1);
}

static uint64_t modify(volatile void *address, size_t size, uint64_t operand, int given,
                       changer *change, const void *site)
{
    enum order order = order_at(site, "read-modify-write", given);
    uint64_t before = hardware_value(address, size);
    if (explorer_current() == NOBODY || !is_shared(address)) {
        set_hardware(address, size, change(before, operand));
        return before;
    }
    explorer_step();
    size_t index = object_at(address, size);
    struct past *past = next_step();
    const struct store *last = &objects[index].stores[objects[index].count - 1];
    before = last->value;
    see(past, index, objects[index].count - 1, order);
    append(past, index, narrow(change(before, operand), size), order, last);
    set_hardware(address, size, objects[index].stores[objects[index].count - 1].value);
    return before;
}

static bool compare_exchange(volatile void *address, size_t size, uint64_t *expected,
                             uint64_t desired, int given, int failing, const void *site)
{
    enum order order = order_at(site, "compare-exchange", given);
    if (explorer_current() == NOBODY || !is_shared(address)) {
        uint64_t before = hardware_value(address, size);
        bool equal = before == *expected;
        *expected = before;
        if (equal)
            set_hardware(address, size, desired);
        return equal;
    }
    explorer_step();
    size_t index = object_at(address, size);
    struct past *past = next_step();
    const struct store *last = &objects[index].stores[objects[index].count - 1];
    if (last->value == *expected) {
        see(past, index, objects[index].count - 1, order);
        append(past, index, narrow(desired, size), order, last);
        set_hardware(address, size, desired);
        return true;
    }
    order = order == RELAXED ? RELAXED : (enum order)failing;
    see(past, index, objects[index].count - 1, order);
    *expected = last->value;
    return false;
}

/* --- meetings --------------------------------------------------------------------------------- */

void meeting_pass(struct meeting *meeting, uint64_t what)
{
    if (explorer_current() == NOBODY)
        return;
    struct past *past = next_step();
    past_join(past, &meeting->past);
    past_join(&meeting->past, past);
    explorer_note(what, meeting->order);
    meeting->order = mixed(meeting->order, explorer_seen());
    order_of_stores += meeting->order;
}

uint64_t memory_order_so_far(void)
{
    return order_of_stores;
}

/* --- memory that is not atomic ---------------------------------------------------------------- */

struct watched {
    uint32_t run;
    int16_t writer; /* NOBODY: no thread has written it in this run */
    uint16_t written;
    uint16_t read[MODEL_THREADS];
};

static struct watched watched[WATCHED];
static uint32_t run;

static struct watched *watch(size_t at)
{
    struct watched *byte = &watched[at];
    if (byte->run != run)
        *byte = (struct watched){.run = run, .writer = NOBODY};
    return byte;
}

static void access_memory(const void *address, size_t size, bool writes)
{
    int thread = explorer_current();
    size_t at = (size_t)((const unsigned char *)address - arena);
    if (thread == NOBODY)
        return;
    expect_there(address);
    if (!memory_is_a_runs(address) || at + size > WATCHED)
        return;
    const struct past *past = explorer_past(thread);
    for (size_t i = 0; i < size; i++) {
        struct watched *byte = watch(at + i);
        if (byte->writer != NOBODY && byte->writer != thread &&
            byte->written > past->steps[byte->writer])
            explorer_fault(writes ? "a race of two writes" : "a read races with a write");
        for (int other = 0; writes && other < MODEL_THREADS; other++)
            if (other != thread && byte->read[other] > past->steps[other])
                explorer_fault("a write races with a read");
        if (writes) {
            byte->writer = (int16_t)thread;
            byte->written = (uint16_t)(past->steps[thread] + 1);
        } else {
            byte->read[thread] = (uint16_t)(past->steps[thread] + 1);
        }
    }
}

void memory_begin_run(void)
{
    arena_used = 0;
    object_count = 0;
    used_count = 0;
    order_of_stores = 0;
    run++;
}

/* --- functions that the compiler calls -------------------------------------------------------- */

#define CALLER __builtin_return_address(0)

void __tsan_init(void);
void __tsan_func_entry(void *caller);
void __tsan_func_exit(void);
void __tsan_read_range(const void *address, size_t size);
void __tsan_write_range(const void *address, size_t size);
void __tsan_atomic_thread_fence(int order);

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
    (void)caller;
}

void __tsan_func_exit(void)
{
}

void __tsan_read_range(const void *address, size_t size)
{
    access_memory(address, size, false);
}

void __tsan_write_range(const void *address, size_t size)
{
    access_memory(address, size, true);
}

/* Fences are not implemented, because the code does not use them. */
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    abort();
}

#define PLAIN(size)                                                                                \
    void __tsan_read##size(const void *address);                                                   \
    void __tsan_read##size(const void *address)                                                    \
    {                                                                                              \
        access_memory(address, size, false);                                                       \
    }                                                                                              \
    void __tsan_write##size(const void *address);                                                  \
    void __tsan_write##size(const void *address)                                                   \
    {                                                                                              \
        access_memory(address, size, true);                                                        \
    }                                                                                              \
    void __tsan_unaligned_read##size(const void *address);                                         \
    void __tsan_unaligned_read##size(const void *address)                                          \
    {                                                                                              \
        access_memory(address, size, false);                                                       \
    }                                                                                              \
    void __tsan_unaligned_write##size(const void *address);                                        \
    void __tsan_unaligned_write##size(const void *address)                                         \
    {                                                                                              \
        access_memory(address, size, true);                                                        \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

#define MODIFY(bits, type, name, change)                                                           \
    type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order);            \
    type __tsan_atomic##bits##_##name(volatile type *address, type operand, int order)             \
    {                                                                                              \
        return (type)modify(address, sizeof *address, operand, order, change, CALLER);             \
    }

#define ATOMIC(bits, type)                                                                         \
    type __tsan_atomic##bits##_load(const volatile type *address, int order);                      \
    type __tsan_atomic##bits##_load(const volatile type *address, int order)                       \
    {                                                                                              \
        return (type)load(address, sizeof *address, order, CALLER);                                \
    }                                                                                              \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order);               \
    void __tsan_atomic##bits##_store(volatile type *address, type value, int order)                \
    {                                                                                              \
        store(address, sizeof *address, value, order, CALLER);                                     \
    }                                                                                              \
    MODIFY(bits, type, exchange, exchange)                                                         \
    MODIFY(bits, type, fetch_add, add)                                                             \
    MODIFY(bits, type, fetch_sub, subtract)                                                        \
    MODIFY(bits, type, fetch_or, bits_or)                                                          \
    MODIFY(bits, type, fetch_and, bits_and)                                                        \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected,     \
                                                       type desired, int order, int failing);      \
    bool __tsan_atomic##bits##_compare_exchange_strong(volatile type *address, type *expected,     \
                                                       type desired, int order, int failing)       \
    {                                                                                              \
        uint64_t wide = *expected;                                                                 \
        bool done =                                                                                \
            compare_exchange(address, sizeof *address, &wide, desired, order, failing, CALLER);    \
        *expected = (type)wide;                                                                    \
        return done;                                                                               \
    }                                                                                              \
    bool __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,       \
                                                     type desired, int order, int failing);        \
    bool __tsan_atomic##bits##_compare_exchange_weak(volatile type *address, type *expected,       \
                                                     type desired, int order, int failing)         \
    {                                                                                              \
        uint64_t wide = *expected;                                                                 \
        bool done =                                                                                \
            compare_exchange(address, sizeof *address, &wide, desired, order, failing, CALLER);    \
        *expected = (type)wide;                                                                    \
        return done;                                                                               \
    }

ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
