/*
 * Seals datagrams: the collector accepts a datagram only from a sender that has the key, and only
 * once. In the collector's records the name of the key is the sender's name.
 *
 *     char why[SLUICE_SEALER_WHY];
 *     struct sluice_sealer *sealer =
 *         sluice_sealer_open("/etc/shop.keys", NULL, SLUICE_SEAL_ENCRYPTED, why);
 *     struct sluice_settings settings = {.sealer = sealer};
 *     struct sluice_client *client = sluice_client_open("192.0.2.1:5555", "web1/shop", &settings);
 *     ...
 *     sluice_client_close(client);
 *     sluice_sealer_close(sealer);
 *
 * `sluice keygen NAME` makes a key. The collector listens with framing=sealed and the same file.
 *
 * Lifecycle: open a sealer, pass it to one client at a time (settings.sealer), close it after the
 * client. Each life of a client has its own session, also after a fork (sluice_client_renew).
 *
 * Threads: every function may be called by any thread, except that a sealer must not be closed
 * while a client uses it.
 *
 * Memory: a sealer is allocated when it is opened, in memory that is not part of a core dump and is
 * overwritten when the sealer is closed.
 *
 * This part of the client library needs libsodium. Link with `pkg-config --libs sluice-seal`, or
 * compile sluice_seal.c and sluice_client.c into the application, with -lsodium. Without sealing,
 * the client library needs only libc.
 */
#ifndef SLUICE_SEAL_H
#define SLUICE_SEAL_H

#include "sluice_client.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sluice_seal {
    SLUICE_SEAL_AUTHENTICATED = 1, /* on its way, a datagram can be read but not changed */
    SLUICE_SEAL_ENCRYPTED = 2,
};

#define SLUICE_SEAL_KEY_SIZE 32 /* bytes */

/* The size in bytes of the text with the reason why a sealer could not be opened. */
#define SLUICE_SEALER_WHY 200

/* The maximum number of keys with one name in a file. */
#define SLUICE_SEAL_KEYS_MOST 16

/*
 * Opens a sealer with the keys of a file. Each line of the file is
 *
 *     NAME KEYID KEY [not-before=TIME] [not-after=TIME]
 *
 * as `sluice keygen` prints it; comments follow `#`. `name` may be NULL if the file has only one
 * name. Each datagram is sealed with a key of that name that is valid at the time: the one with the
 * latest not-before, or the last of these in the file. If none is valid, a flush fails (EACCES).
 * The file is read once.
 *
 * Returns NULL with errno set, and with the reason in `why` (which may be NULL): EINVAL (a line is
 * wrong, no such name, or a name is needed), EACCES (users other than its owner and group may open
 * the file, its group may change it, or its owner is neither root nor this user), ENOMEM, ENOSYS
 * (libsodium does not work here), or the error of open(2) or read(2).
 */
struct sluice_sealer *sluice_sealer_open(const char *path, const char *name, enum sluice_seal seal,
                                         char why[SLUICE_SEALER_WHY]);

/*
 * Opens a sealer with one key, which never expires. `key_id` must not be 0. The key is copied, so
 * the caller may overwrite it. Returns NULL with errno set: EINVAL, ENOMEM or ENOSYS.
 */
struct sluice_sealer *sluice_sealer_open_key(uint64_t key_id,
                                             const uint8_t key[SLUICE_SEAL_KEY_SIZE],
                                             enum sluice_seal seal);

/* Overwrites the keys and frees the sealer. NULL is allowed. */
void sluice_sealer_close(struct sluice_sealer *sealer);

#ifdef __cplusplus
}
#endif

#endif
