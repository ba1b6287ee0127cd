/*
 * The settings of a DTLS listener during a reload: a change makes new settings, and is then kept or
 * undone. Main thread; while the receivers are paused or have ended. No effect for other listeners.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_SOURCE_H

#include "collector/contract/source.h"

/* Keeps the last change: it cannot be undone any more. */
void dtls_source_keep(struct source *source);

/* Frees the settings of a listener that has ended. */
void dtls_source_release(struct source *source);

#endif
