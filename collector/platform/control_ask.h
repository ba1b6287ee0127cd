/*
 * One request to a collector over its control socket, and the answer to it
 * (collector/control/control_service.h).
 *
 * Waits, and does nothing else meanwhile. Any thread. CMake picks the implementation under
 * platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_CONTROL_ASK_H
#define SLUICE_COLLECTOR_PLATFORM_CONTROL_ASK_H

#include "collector/base/error.h"
#include "collector/text/output.h"

/* How long an answer may take: a reload reads files, and may run protoc. */
#define CONTROL_ASK_MS 60000

/*
 * Connects to `address` (control_socket_syntax), sends `request` and a newline, and appends the
 * line of the answer, without its newline, to `answer`. Returns 0, or -1 with `error` filled
 * (EXIT_CODE_NOT_REACHED): nobody listens there or lets us in, or no answer came within
 * CONTROL_ASK_MS, or one that does not fit. The request may have been carried out all the same.
 */
int control_ask(const char *address, const char *request, struct output *answer,
                struct error *error);

#endif
