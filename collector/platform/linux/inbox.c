#include "collector/platform/linux/inbox.h"

#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/base/compiler.h"
#include "collector/platform/linux/udp_socket_parts.h"

/* A name has room after it, so that control messages are aligned (cmsg(3)). */
#define NAME_SIZE   32
#define HEAD_SIZE   (sizeof(struct io_uring_recvmsg_out) + NAME_SIZE + CONTROL_SIZE)
#define BUFFER_SIZE (HEAD_SIZE + DATAGRAM_MAX_SIZE)
#define NONE        INBOX_BUFFERS

/* Bytes of a datagram to be brought into the cache before it is taken: most are no longer. */
#define PREFETCH_SIZE 128

_Static_assert(NAME_SIZE >= sizeof(struct sockaddr_in6), "a name has room");
_Static_assert((sizeof(struct io_uring_recvmsg_out) + NAME_SIZE) % _Alignof(struct cmsghdr) == 0,
               "control messages are aligned");
_Static_assert((INBOX_BUFFERS & (INBOX_BUFFERS - 1)) == 0, "the kernel wants a power of two");

/* No power of two, so that buffers' beginnings do not all fall on the same few cache sets. */
#define BUFFER_STRIDE ((BUFFER_SIZE + 4096 + 64) / 64 * 64)
#define RING_SIZE     (INBOX_BUFFERS * sizeof(struct io_uring_buf))
#define POOL_SIZE     (4096 + INBOX_BUFFERS * BUFFER_STRIDE)
_Static_assert(RING_SIZE <= 4096, "the ring is a page of its own");

struct inbox_pool {
    _Atomic size_t holders;
    uint8_t *memory;              /* the ring, then the buffers */
    uint16_t tail;                /* of the ring */
    uint16_t next[INBOX_BUFFERS]; /* of a filled one: the one after it in its inbox */
};

struct inbox {
    _Atomic size_t holders;
    struct inbox_pool *pool;
    uint16_t first;
    uint16_t last;
    int error;
    bool drained;
    bool closed;
};

/* --- the pool --------------------------------------------------------------------------------- */

size_t inbox_pool_memory(void)
{
    return sizeof(struct inbox_pool) + POOL_SIZE;
}

static uint8_t *buffer_at(const struct inbox_pool *pool, uint16_t buffer)
{
    return pool->memory + 4096 + buffer * BUFFER_STRIDE;
}

struct io_uring_buf_ring *inbox_pool_ring(struct inbox_pool *pool)
{
    return (struct io_uring_buf_ring *)pool->memory;
}

void inbox_pool_give_back(struct inbox_pool *pool, uint16_t buffer)
{
    struct io_uring_buf_ring *ring = inbox_pool_ring(pool);
    struct io_uring_buf *place = &ring->bufs[pool->tail % INBOX_BUFFERS];
    place->addr = (uint64_t)(uintptr_t)buffer_at(pool, buffer);
    place->len = BUFFER_SIZE;
    place->bid = buffer;
    __atomic_store_n(&ring->tail, ++pool->tail, __ATOMIC_RELEASE);
}

struct inbox_pool *inbox_pool_create(void)
{
    struct inbox_pool *pool = calloc(1, sizeof *pool);
    if (pool == NULL)
        return NULL;
    pool->memory =
        mmap(NULL, POOL_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pool->memory == MAP_FAILED) {
        free(pool);
        return NULL;
    }
    atomic_init(&pool->holders, 1);
    for (uint16_t i = 0; i < INBOX_BUFFERS; i++)
        inbox_pool_give_back(pool, i);
    return pool;
}

void inbox_pool_hold(struct inbox_pool *pool)
{
    atomic_fetch_add(&pool->holders, 1);
}

void inbox_pool_let_go(struct inbox_pool *pool)
{
    if (pool == NULL || atomic_fetch_sub(&pool->holders, 1) != 1)
        return;
    munmap(pool->memory, POOL_SIZE);
    free(pool);
}

void inbox_pool_set_room(struct msghdr *header)
{
    *header = (struct msghdr){.msg_namelen = NAME_SIZE, .msg_controllen = CONTROL_SIZE};
}

/* --- an inbox --------------------------------------------------------------------------------- */

struct inbox *inbox_create(struct inbox_pool *pool)
{
    struct inbox *inbox = calloc(1, sizeof *inbox);
    if (inbox == NULL)
        return NULL;
    atomic_init(&inbox->holders, 2);
    inbox_pool_hold(pool);
    inbox->pool = pool;
    inbox->first = inbox->last = NONE;
    return inbox;
}

void inbox_let_go(struct inbox *inbox)
{
    if (inbox == NULL || atomic_fetch_sub(&inbox->holders, 1) != 1)
        return;
    inbox_pool_let_go(inbox->pool);
    free(inbox);
}

void inbox_put(struct inbox *inbox, uint16_t buffer)
{
    struct inbox_pool *pool = inbox->pool;
    pool->next[buffer] = NONE;
    if (inbox->first == NONE)
        inbox->first = buffer;
    else
        pool->next[inbox->last] = buffer;
    inbox->last = buffer;
}

void inbox_put_error(struct inbox *inbox, int code)
{
    inbox->error = code;
}

int inbox_take_error(struct inbox *inbox)
{
    int code = inbox->error;
    inbox->error = 0;
    return code;
}

void inbox_set_drained(struct inbox *inbox, bool drained)
{
    inbox->drained = drained && !inbox->closed;
}

bool inbox_is_drained(const struct inbox *inbox)
{
    return inbox->drained;
}

void inbox_close(struct inbox *inbox)
{
    inbox->closed = true;
    inbox->drained = false;
}

bool inbox_is_empty(const struct inbox *inbox)
{
    return inbox->first == NONE;
}

struct inbox_pool *inbox_pool_of(const struct inbox *inbox)
{
    return inbox->pool;
}

void inbox_prefetch(const struct inbox *inbox)
{
    if (inbox->first != NONE)
        prefetch_all(buffer_at(inbox->pool, inbox->first), HEAD_SIZE + PREFETCH_SIZE);
}

bool inbox_take(struct inbox *inbox, struct arrival *arrival)
{
    struct inbox_pool *pool = inbox->pool;
    uint16_t buffer = inbox->first;
    if (buffer == NONE)
        return false;
    inbox->first = pool->next[buffer];
    uint8_t *bytes = buffer_at(pool, buffer);
    struct io_uring_recvmsg_out out;
    memcpy(&out, bytes, sizeof out);
    *arrival = (struct arrival){
        .buffer = buffer,
        .data = bytes + HEAD_SIZE,
        .header = {.msg_name = bytes + sizeof out,
                   .msg_namelen = out.namelen,
                   .msg_control = bytes + sizeof out + NAME_SIZE,
                   .msg_controllen = out.controllen,
                   .msg_flags = (int)out.flags},
        .size = out.payloadlen,
    };
    return true;
}
