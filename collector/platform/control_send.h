/*
 * Telling a collector that runs on this machine what to do, as `sluice ctl` does: by a signal, or,
 * where there are none, by an event of that process (collector/platform/control.h).
 *
 * Any thread. CMake picks the implementation under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CONTROL_SEND_H
#define SLUICE_COLLECTOR_PLATFORM_CONTROL_SEND_H

#include "collector/base/error.h"
#include "collector/platform/control.h"

/*
 * Has the control_wait of that process report CONTROL_STOP, CONTROL_REOPEN or CONTROL_LEDGER. Two
 * that it has not seen yet may be one. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_NOT_REACHED): there is no such process, it is no collector (such a signal would end
 * most others) or none that waits yet, or it takes no orders from us.
 */
int control_send(unsigned long process, enum control_event event, struct error *error);

#endif
