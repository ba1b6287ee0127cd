/*
 * The settings of a DTLS listener during a reload. A change makes new settings; the caller then
 * keeps or undoes it. Main thread, while the receivers are paused or have ended. No effect on other
 * listeners.
 */
#ifndef SLUICE_COLLECTOR_RECEIVE_DTLS_SOURCE_H
#define SLUICE_COLLECTOR_RECEIVE_DTLS_SOURCE_H

#include "collector/contract/source.h"

/* Makes the last change final. It cannot be undone after this. */
void dtls_source_keep(struct source *source);

/* Frees the settings of a listener that has ended. */
void dtls_source_release(struct source *source);

#endif
