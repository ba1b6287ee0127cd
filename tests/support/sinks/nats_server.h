/*
 * Runs a nats-server with JetStream as a process on a free port, and reads the messages in its
 * streams. Its files are in the scratch directory. An error fails the running cmocka test.
 */
#ifndef SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H
#define SLUICE_TESTS_SUPPORT_SINKS_NATS_SERVER_H

#include <nats/nats.h>
#include <stddef.h>
#include <stdint.h>

struct nats_server {
    int process; /* process id, or 0 if it is not running */
    unsigned port;
    const char *user, *password; /* NULL if no login is required */
};

/*
 * Starts the server and waits until it answers. The first start chooses a free port; later ones use
 * the same port.
 */
void nats_server_start(struct nats_server *server);

void nats_server_kill(struct nats_server *server);
/*
 * nats_server_freeze stops the process, which then does not answer. nats_server_thaw lets it
 * continue.
 */
void nats_server_freeze(const struct nats_server *server);
void nats_server_thaw(const struct nats_server *server);

/*
 * Creates a stream of this name for these subjects. `max_message` is the limit of a message in
 * bytes; 0 means no limit.
 */
void nats_server_add_stream(const struct nats_server *server, const char *name,
                            const char *subjects, int32_t max_message);

/* Returns the number of messages in the stream. */
uint64_t nats_server_count(const struct nats_server *server, const char *name);

/*
 * Returns message `number` of the stream; the first has number 1. The caller frees it with
 * natsMsg_Destroy.
 */
natsMsg *nats_server_message(const struct nats_server *server, const char *name, uint64_t number);

#endif
