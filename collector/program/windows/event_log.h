/*
 * The system's event log: where a service says what others say on stderr. Each line is an event,
 * and each ledger; the level is the event's type, and its text one of messages.mc around the line.
 *
 * A source is registered when a service is installed, so that the event viewer finds the messages
 * (in this very program) and what stands in them makes sense to it. Of platform/windows only.
 */
#ifndef SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H
#define SLUICE_COLLECTOR_PROGRAM_WINDOWS_EVENT_LOG_H

#include <stdbool.h>
#include <windows.h>

/* Characters of an event's text; the system takes no more (ReportEventW). */
#define EVENT_TEXT_MAX 31839

/* As ReportEventW, which is the one but in tests. */
typedef BOOL WINAPI event_reporter(HANDLE log, WORD type, WORD category, DWORD event, PSID user,
                                   WORD text_count, DWORD data_size, LPCWSTR *texts, LPVOID data);

/*
 * Has all that is logged (collector/log/log.h) become events of `source`, until event_log_end. A
 * text that is longer than an event's becomes several, each of whole lines where it has any. While
 * there is one thread; where the log cannot be opened the lines are lost, as with a stderr that is
 * full.
 */
void event_log_begin(const wchar_t *source, event_reporter *reporter);
void event_log_end(void);

/*
 * Registers `source` with the messages in the file `program`, or removes it; where there is none it
 * stays away. Returns 0, or the system's error.
 */
LSTATUS event_source_register(const wchar_t *source, const wchar_t *program);
LSTATUS event_source_remove(const wchar_t *source);

#endif
