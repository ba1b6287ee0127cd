#include "collector/program/windows/event_log.h"

#include <limits.h>
#include <stdlib.h>
#include <wchar.h>

#include "collector/log/log.h"
#include "collector/program/messages.h"

static struct {
    HANDLE log;
    event_reporter *reporter;
} open_log;

/* --- events ----------------------------------------------------------------------------------- */

static bool event_log_report(enum log_level level, const wchar_t *text)
{
    static const struct {
        WORD type;
        DWORD event;
    } kinds[] = {
        [LOG_ERROR] = {EVENTLOG_ERROR_TYPE, EVENT_ERROR},
        [LOG_WARNING] = {EVENTLOG_WARNING_TYPE, EVENT_WARNING},
        [LOG_INFO] = {EVENTLOG_INFORMATION_TYPE, EVENT_INFORMATION},
    };
    return open_log.reporter(open_log.log, kinds[level].type, 0, kinds[level].event, NULL, 1, 0,
                             &text, NULL);
}

/*
 * Returns the length of the next event's text: the whole text if it fits. Otherwise the text ends
 * after the last line that fits or, if not even one line fits, at the size limit of an event.
 */
static size_t first_part(const wchar_t *text, size_t length)
{
    if (length <= EVENT_TEXT_MAX)
        return length;
    for (size_t end = EVENT_TEXT_MAX; end > 0; end--)
        if (text[end] == L'\n')
            return end;
    return IS_LOW_SURROGATE(text[EVENT_TEXT_MAX]) ? EVENT_TEXT_MAX - 1 : EVENT_TEXT_MAX;
}

/* Reports `text`, which does not end in a newline. Modifies it during the call. */
static bool report_all(enum log_level level, wchar_t *text, size_t length)
{
    do {
        size_t part = first_part(text, length);
        wchar_t after = text[part];
        text[part] = L'\0';
        if (!event_log_report(level, text))
            return false;
        text[part] = after;
        part += after == L'\n';
        text += part;
        length -= part;
    } while (length != 0);
    return true;
}

/* Invalid UTF-8, such as at the end of a line that was cut, becomes U+FFFD. */
static bool event_log_take(enum log_level level, const char *lines, size_t size)
{
    if (open_log.log == NULL || size > INT_MAX)
        return false;
    if (size != 0 && lines[size - 1] == '\n')
        size--;
    wchar_t *text = malloc((size + 1) * sizeof *text);
    if (text == NULL)
        return false;
    int length = 0;
    if (size != 0)
        length = MultiByteToWideChar(CP_UTF8, 0, lines, (int)size, text, (int)size);
    text[length] = L'\0';
    bool reported = report_all(level, text, (size_t)length);
    free(text);
    return reported;
}

void event_log_begin(const wchar_t *source, event_reporter *reporter)
{
    open_log.reporter = reporter;
    open_log.log = RegisterEventSourceW(NULL, source);
    log_divert(event_log_take);
}

void event_log_end(void)
{
    log_divert(NULL);
    if (open_log.log != NULL)
        DeregisterEventSource(open_log.log);
    open_log.log = NULL;
}

/* --- sources ---------------------------------------------------------------------------------- */

static const wchar_t sources[] = L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application";

static LSTATUS open_sources(HKEY *key)
{
    return RegOpenKeyExW(HKEY_LOCAL_MACHINE, sources, 0, KEY_CREATE_SUB_KEY, key);
}

LSTATUS event_source_register(const wchar_t *source, const wchar_t *program)
{
    const DWORD types = EVENTLOG_ERROR_TYPE | EVENTLOG_WARNING_TYPE | EVENTLOG_INFORMATION_TYPE;
    DWORD size = (DWORD)((wcslen(program) + 1) * sizeof *program);
    HKEY all;
    HKEY own;
    LSTATUS result = open_sources(&all);
    if (result != ERROR_SUCCESS)
        return result;
    result = RegCreateKeyExW(all, source, 0, NULL, 0, KEY_SET_VALUE, NULL, &own, NULL);
    RegCloseKey(all);
    if (result != ERROR_SUCCESS)
        return result;
    /* The type is REG_SZ, so that percent signs in the path are not expanded. */
    result = RegSetValueExW(own, L"EventMessageFile", 0, REG_SZ, (const BYTE *)program, size);
    if (result == ERROR_SUCCESS)
        result = RegSetValueExW(own, L"TypesSupported", 0, REG_DWORD, (const BYTE *)&types,
                                sizeof types);
    RegCloseKey(own);
    return result;
}

LSTATUS event_source_remove(const wchar_t *source)
{
    HKEY all;
    LSTATUS result = open_sources(&all);
    if (result != ERROR_SUCCESS)
        return result;
    result = RegDeleteKeyW(all, source);
    RegCloseKey(all);
    return result == ERROR_FILE_NOT_FOUND ? ERROR_SUCCESS : result;
}
