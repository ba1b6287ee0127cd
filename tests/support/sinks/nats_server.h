/*
 * A nats-server with JetStream, a process of its own on a free port, and what is in its streams.
 * Its files lie in the scratch directory. Each function fails the running cmocka test where it
 * cannot do what it says.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H
#define SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H

#include <nats/nats.h>
#include <stddef.h>
#include <stdint.h>

struct nats_server {
    int process; /* 0: it does not run */
    unsigned port;
    const char *user, *password; /* NULL: anybody may connect */
};

/* Starts it, on the port that it had before or on a free one, and waits until it answers. */
void nats_server_start(struct nats_server *server);

void nats_server_kill(struct nats_server *server);
void nats_server_freeze(const struct nats_server *server); /* it runs, and does nothing */
void nats_server_thaw(const struct nats_server *server);

/* Makes a stream of that name for the subjects; `max_message` bytes, 0: any number. */
void nats_server_add_stream(const struct nats_server *server, const char *name,
                            const char *subjects, int32_t max_message);

/* How many messages a stream has. */
uint64_t nats_server_count(const struct nats_server *server, const char *name);

/* The message of that number, from 1 on; freed with natsMsg_Destroy. */
natsMsg *nats_server_message(const struct nats_server *server, const char *name, uint64_t number);

#endif
