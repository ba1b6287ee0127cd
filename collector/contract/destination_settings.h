/*
 * The keys of a sink's URL for files, relays and HTTP. The keys for brokers and TLS are in
 * broker_options.h and client_tls.h.
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_SETTINGS_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"

struct compression_ops;

/* When fsync is called. */
enum file_sync {
    SYNC_NEVER,
    SYNC_INTERVAL,
    SYNC_CLOSE,
    SYNC_ALWAYS /* for a spill: after each block */
};

/* The keys of a sink's URL for files. Times in nanoseconds, sizes in bytes. */
struct file_options {
    uint64_t rotate_size;     /* 0: not by size */
    uint64_t rotate_interval; /* 0: not by time */
    uint64_t keep;      /* complete files (or periods of files) to keep per path; 0 means all */
    uint64_t keep_time; /* age at which complete files are deleted; 0 means never */
    uint64_t keep_size; /* maximum size of all complete files in bytes; 0 means no limit */
    uint64_t max_files; /* maximum number of different paths between two rotations */
    uint64_t mode;      /* permissions of new files; 0 means the default */
    enum file_sync sync;
    const struct compression_ops *compression; /* NULL: none */
};

/* The maximum number of targets of a relay. */
#define RELAY_TARGETS_MOST 16

/* The addresses and keys in the URL of a relay. */
struct relay_options {
    struct address targets[RELAY_TARGETS_MOST];
    size_t target_count;
    bool to_turn;     /* true: each datagram goes to one target, to each in turn; false: each
                       * datagram goes to all targets */
    bool raw;         /* also send datagrams that could not be decoded */
    bool keep_source; /* send from the address of the original sender */
};

/* The keys of a sink's URL for HTTP. Texts are NULL if not given. */
struct http_options {
    char *query; /* the text after the question mark, percent-encoded */
    /* Files of secrets, whose contents are never shown. A reload rereads them. */
    char *header_file;   /* one header per line */
    char *token_file;    /* its first line is the token */
    char *password_file; /* its first line is USER:PASSWORD */
    bool insecure;       /* secrets may be sent unencrypted to other machines */
};

#endif
