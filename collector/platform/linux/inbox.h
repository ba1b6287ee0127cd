/*
 * What io_uring(7) has received for a socket before that asked: its inbox. The inboxes of a
 * notifier's sockets have one pool of buffers, which the kernel fills; a buffer is given back when
 * what is in it was taken. Of this folder only.
 *
 * A pool, its inboxes and whoever has taken from them belong to one thread at a time; letting go
 * may be any thread's. An inbox is its socket's and its notifier's, a pool all of theirs: the last
 * one to let go frees it.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_LINUX_INBOX_H
#define SLUICE_COLLECTOR_PLATFORM_LINUX_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/io_uring.h>
#include <sys/socket.h>

/* A power of two. With more than these on their way the rest is received by recvmmsg(2). */
#define INBOX_BUFFERS 128

/* --- the pool --------------------------------------------------------------------------------- */

struct inbox_pool;

/* Returns NULL where memory is short. One holder: the caller. */
struct inbox_pool *inbox_pool_create(void);
void inbox_pool_hold(struct inbox_pool *pool);
void inbox_pool_let_go(struct inbox_pool *pool);

/* Bytes that it takes; a small datagram touches 4 KiB of them. */
size_t inbox_pool_memory(void);

/* What is to be registered (IORING_REGISTER_PBUF_RING), all buffers in it. */
struct io_uring_buf_ring *inbox_pool_ring(struct inbox_pool *pool);

/* What each receive is to leave room for before the datagram itself. */
void inbox_pool_set_room(struct msghdr *header);

void inbox_pool_give_back(struct inbox_pool *pool, uint16_t buffer);

/* --- an inbox --------------------------------------------------------------------------------- */

struct inbox;

/* Returns NULL where memory is short. Two holders. */
struct inbox *inbox_create(struct inbox_pool *pool);
void inbox_let_go(struct inbox *inbox);

/* The notifier: the kernel has filled this buffer of the pool. */
void inbox_put(struct inbox *inbox, uint16_t buffer);

/* The notifier: that error has come. The socket takes it: an errno, 0: none has. */
void inbox_put_error(struct inbox *inbox, int code);
int inbox_take_error(struct inbox *inbox);

/* Whether after all that is in it the socket holds nothing but what an event will report. */
void inbox_set_drained(struct inbox *inbox, bool drained);
bool inbox_is_drained(const struct inbox *inbox);

/* The notifier has done with it: nothing comes any more, and nobody reports what the socket holds.
 */
void inbox_close(struct inbox *inbox);

bool inbox_is_empty(const struct inbox *inbox);
struct inbox_pool *inbox_pool_of(const struct inbox *inbox);

/* What has come, with what recvmsg(2) says of it. It stays until its buffer is given back. */
struct arrival {
    uint16_t buffer;
    uint8_t *data;
    struct msghdr header; /* name, control messages and flags */
    uint32_t size;        /* bytes of data */
};

/* That will be taken soon: brings the beginning of it into the cache meanwhile. */
void inbox_prefetch(const struct inbox *inbox);

/* The first to come. Returns false where nothing has. */
bool inbox_take(struct inbox *inbox, struct arrival *arrival);

/* --- its socket ------------------------------------------------------------------------------- */

struct udp_socket;

/* The socket receives from the inbox first from now on. It lets go of it when it is closed. */
void udp_socket_receive_from_inbox(struct udp_socket *socket, struct inbox *inbox);

#endif
