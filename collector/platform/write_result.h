/* What became of a write that never waits for a reader. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WRITE_RESULT_H
#define SLUICE_COLLECTOR_PLATFORM_WRITE_RESULT_H

enum write_result {
    WRITE_OK,          /* bytes, at least one, were accepted */
    WRITE_WOULD_BLOCK, /* none as yet: when the handle is writable, offer the same again */
    WRITE_FAILED,      /* none, and `error` says why; it may work later */
    WRITE_CLOSED,      /* none, and never again: the reader has gone */
};

#endif
