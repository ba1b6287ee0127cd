/*
 * Seals the datagrams that a tool sends, according to the options --keys, --key and --seal. There
 * is one session for the whole run, which all sources of a tool share, because a collector
 * remembers only a few sessions of a key.
 *
 * Lifecycle: begin, seal, end. One thread. A sealing has a secret, which sealing_end clears.
 */
#ifndef SLUICE_TOOLS_SENDING_SEALING_H
#define SLUICE_TOOLS_SENDING_SEALING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"
#include "collector/framing/sealed.h"

/* A tool's settings. The texts are those of argv. */
struct sealing_settings {
    const char *keys; /* file of keys; NULL if datagrams are not sealed */
    const char *key;  /* name of a key in the file; NULL means the only name */
    const char *mode; /* NULL: encrypted */
};

/* The rows of these options for a tool's table of options. `field` is a struct sealing_settings. */
#define SEALING_OPTIONS(type, field)                                                               \
    {"keys", "FILE",                                                                               \
     "seal each datagram with a key of this file (sluice keygen); this\n"                          \
     "makes it 56 bytes longer. The collector listens with framing=sealed",                        \
     COMMAND_KEEP(TEXT, type, field.keys)},                                                        \
        {"key", "NAME", "name of the key, if the file has several names",                          \
         COMMAND_KEEP(TEXT, type, field.key)},                                                     \
    {                                                                                              \
        "seal", "encrypted|authenticated",                                                         \
            "how to seal: authenticated leaves the content readable;\n"                            \
            "default encrypted",                                                                   \
            COMMAND_KEEP(TEXT, type, field.mode)                                                   \
    }

struct sealing {
    struct sealed_key key;
    struct sealed_header header; /* of the last datagram */
};

/* Returns the reason why the settings cannot be combined, or NULL if they can. */
const char *sealing_conflict(const struct sealing_settings *settings);

/*
 * Reads the file of keys, selects the key that is valid now, and begins a session. Returns 0, or -1
 * with `error` filled: EXIT_CODE_CONFIG (the file is wrong, other users have access to it, the name
 * is unknown, or libsodium is missing), EXIT_CODE_INTERNAL.
 */
int sealing_begin(const struct sealing_settings *settings, struct sealing *out,
                  struct error *error);

/*
 * Makes the next sealed datagram of the session: `size` + SEALED_OVERHEAD bytes at `datagram`,
 * which must not overlap the payload. `time_ns` is the time of sending, since 1970 UTC. Returns its
 * size.
 */
size_t sealing_seal(struct sealing *sealing, const void *payload, size_t size, int64_t time_ns,
                    uint8_t *datagram);

void sealing_end(struct sealing *sealing);

#endif
