/*
 * Checks the token of --metrics-token-file, which requests to --metrics must have: as a bearer
 * token (RFC 6750, section 2.1) or as the password of any user (RFC 7617), for which browsers ask
 * their users.
 *
 * The token is in memory that core dumps leave out, is cleared before it is freed, and is compared
 * in a time that does not depend on its bytes. After METRICS_TOKEN_TRIES wrong tokens of a network
 * within METRICS_TOKEN_PERIOD_NS, further tokens of this network are refused unchecked until that
 * time is over. Requests from this machine may come from many clients of a proxy. Their tokens are
 * always checked, so that one client cannot shut out the others.
 *
 * Lifecycle: create, check, load again after a reload, destroy. Main thread.
 */
#ifndef SLUICE_COLLECTOR_METRICS_METRICS_TOKEN_H
#define SLUICE_COLLECTOR_METRICS_METRICS_TOKEN_H

#include <stdint.h>

#include "collector/base/address.h"
#include "collector/base/error.h"

/* The minimum and maximum number of bytes of a token. A shorter token could be guessed. */
#define METRICS_TOKEN_LEAST ((size_t)16)
#define METRICS_TOKEN_MOST  ((size_t)512)

#define METRICS_TOKEN_TRIES     10
#define METRICS_TOKEN_PERIOD_NS INT64_C(60000000000)

struct metrics_token;

enum metrics_admission {
    METRICS_ADMITTED,
    METRICS_NO_TOKEN,       /* the request has no token */
    METRICS_WRONG_TOKEN,    /* logged once for each network and period */
    METRICS_TOO_MANY_TRIES, /* refused; the token is still checked for requests from this machine */
};

/*
 * Checks the file: its first line is a token, its owner is this user or root, and no other user is
 * allowed to open it. Returns 0, or -1 with `error` filled (EXIT_CODE_CONFIG).
 */
int metrics_token_check_file(const char *path, struct error *error);

/* Reads the file; copies the path. Returns as metrics_token_check_file does. */
int metrics_token_create(struct metrics_token **out, const char *path, struct error *error);

/*
 * Reads the file again. If that fails, the token stays. Returns as metrics_token_check_file does.
 */
int metrics_token_load(struct metrics_token *token, struct error *error);

/* NULL is allowed. */
void metrics_token_destroy(struct metrics_token *token);

/*
 * Checks the value of a request's Authorization header; NULL if it has no such header. `network` is
 * the network of the client (address_network); `now_ns` is monotonic.
 */
enum metrics_admission metrics_token_check(struct metrics_token *token, const char *authorization,
                                           const struct address *network, int64_t now_ns);

#endif
