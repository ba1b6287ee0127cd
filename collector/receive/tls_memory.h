/*
 * What OpenSSL may allocate. A client says itself how long its messages are, up to 128 KiB before
 * anything is known of it: so what all connections together have is limited, and what a single one
 * can ask for at a time. Where there is no more, that connection fails.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_TLS_MEMORY_H
#define SLUICE_COLLECTOR_RECEIVE_TLS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct tls_library;

/*
 * From then on OpenSSL allocates here. Main thread, before OpenSSL is used; it does nothing where
 * something else in the process has used it before.
 */
void tls_memory_begin(const struct tls_library *library);

/* So many bytes more may be allocated, and fewer again. Main thread. */
void tls_memory_allow(size_t bytes);
void tls_memory_disallow(size_t bytes);

/* Main thread: while files are read a piece may be of any size. */
void tls_memory_read_files(bool reading);

/* Bytes that are allocated. Any thread. */
size_t tls_memory_used(void);

#endif
