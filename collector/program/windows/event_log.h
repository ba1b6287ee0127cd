/*
 * Writes the log of a service to the system's event log instead of stderr. Each log line and each
 * ledger becomes an event, whose type is the level of the line. messages.mc has the messages. The
 * installation of a service registers its event source, so that the event viewer finds the messages
 * in this program's file. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H

#include <stdbool.h>
#include <windows.h>

/* The most characters of an event's text (ReportEventW). */
#define EVENT_TEXT_MAX 31839

/* The type of ReportEventW, so that tests can replace the function. */
typedef BOOL WINAPI event_reporter(HANDLE log, WORD type, WORD category, DWORD event, PSID user,
                                   WORD text_count, DWORD data_size, LPCWSTR *texts, LPVOID data);

/*
 * Diverts the log (collector/log/log.h) to events of `source`, until event_log_end. A text that is
 * too long for an event becomes several events, split at ends of lines if possible. Call it only
 * while the process has one thread. If the event log cannot be opened, lines are lost, as with a
 * full stderr.
 */
void event_log_begin(const wchar_t *source, event_reporter *reporter);
void event_log_end(void);

/*
 * event_source_register registers `source`, whose messages are in the file `program`.
 * event_source_remove removes it, and succeeds if it does not exist. Both return 0, or the system's
 * error.
 */
LSTATUS event_source_register(const wchar_t *source, const wchar_t *program);
LSTATUS event_source_remove(const wchar_t *source);

#endif
