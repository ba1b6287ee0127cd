/*
 * The keys of a sink's URL that are about where its records go: files, relays, HTTP. Those about
 * brokers and TLS have headers of their own (broker_options.h, client_tls.h).
 */
#ifndef SLUICE_COLLECTOR_CONTRACT_DESTINATION_SETTINGS_H
#define SLUICE_COLLECTOR_CONTRACT_DESTINATION_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/address.h"
#include "collector/platform/file_system.h"

struct compression_ops;

/* When written bytes are made to reach the disk (fsync). */
enum file_sync { SYNC_NEVER, SYNC_INTERVAL, SYNC_CLOSE, SYNC_ALWAYS /* of a spill: each block */ };

/* The keys of a sink's URL that are about files. Times in nanoseconds, sizes in bytes. */
struct file_options {
    uint64_t rotate_size;     /* 0: not by size */
    uint64_t rotate_interval; /* 0: not by time */
    uint64_t keep;            /* complete files, or their periods, of one kind that stay; 0: all */
    uint64_t keep_time;       /* nanoseconds that complete files stay; 0: for ever */
    uint64_t keep_size;       /* bytes of complete files that stay; 0: all */
    uint64_t max_files;       /* different paths between two rotations */
    enum file_sync sync;
    const struct compression_ops *compression; /* NULL: none */
    struct disk_reserve reserve; /* what stays free of the disk: the program's, and no key */
    bool written; /* of check: a sink that goes is writing the file, perhaps within a line */
};

/* The most addresses that a relay sends to. */
#define RELAY_TARGETS_MOST 16

/* The keys of a sink's URL that are about a relay, and the addresses that stand before them. */
struct relay_options {
    struct address targets[RELAY_TARGETS_MOST];
    size_t target_count;
    bool to_turn;     /* each datagram goes to one of them, in turn; else to all */
    bool raw;         /* it also sends what could not be decoded */
    bool keep_source; /* under the address of its first sender; else under the system's */
};

/* The keys of a sink's URL that are about HTTP; NULL where one was not given. */
struct http_options {
    char *query; /* without the question mark; %26 in it is an ampersand, and so on */
    /* Files of secrets, of which nothing is ever shown; they are read again at a reload. */
    char *header_file;   /* each line a header */
    char *token_file;    /* its first line is the token */
    char *password_file; /* its first line is USER:PASSWORD */
};

#endif
