/*
 * The system's event log, to which a service writes its log instead of stderr. Each log line and
 * each ledger is an event of the type of its level; messages.mc has the messages.
 *
 * A source is registered when a service is installed, so that the event viewer finds the messages,
 * which are in this program's file. Only on Windows.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H

#include <stdbool.h>
#include <windows.h>

/* Characters of an event's text; the system takes no more (ReportEventW). */
#define EVENT_TEXT_MAX 31839

/* ReportEventW; tests use another one. */
typedef BOOL WINAPI event_reporter(HANDLE log, WORD type, WORD category, DWORD event, PSID user,
                                   WORD text_count, DWORD data_size, LPCWSTR *texts, LPVOID data);

/*
 * Diverts the log (collector/log/log.h) to events of `source`, until event_log_end. A text that is
 * too long for an event becomes several, split at ends of lines if possible. Only while there is
 * one thread. If the event log cannot be opened, lines are lost, as with a full stderr.
 */
void event_log_begin(const wchar_t *source, event_reporter *reporter);
void event_log_end(void);

/*
 * Registers `source` with the messages in the file `program`, or removes it; removing a source that
 * does not exist succeeds. Returns 0, or the system's error.
 */
LSTATUS event_source_register(const wchar_t *source, const wchar_t *program);
LSTATUS event_source_remove(const wchar_t *source);

#endif
