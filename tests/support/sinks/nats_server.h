/*
 * A nats-server with JetStream, a process of its own on a free port, and the messages in its
 * streams. Its files are in the scratch directory. Each function fails the running cmocka test if
 * it does not succeed.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H
#define SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H

#include <nats/nats.h>
#include <stddef.h>
#include <stdint.h>

struct nats_server {
    int process; /* 0: it is not running */
    unsigned port;
    const char *user, *password; /* NULL: anybody may connect */
};

/*
 * Starts the server and waits until it answers. It uses its earlier port, or at first a free one.
 */
void nats_server_start(struct nats_server *server);

void nats_server_kill(struct nats_server *server);
void nats_server_freeze(const struct nats_server *server); /* it stays alive but does not answer */
void nats_server_thaw(const struct nats_server *server);

/*
 * Makes a stream of that name for these subjects. `max_message` is a limit in bytes; 0: no limit.
 */
void nats_server_add_stream(const struct nats_server *server, const char *name,
                            const char *subjects, int32_t max_message);

/* How many messages a stream has. */
uint64_t nats_server_count(const struct nats_server *server, const char *name);

/* Message `number` of the stream, counted from 1. The caller frees it by natsMsg_Destroy. */
natsMsg *nats_server_message(const struct nats_server *server, const char *name, uint64_t number);

#endif
