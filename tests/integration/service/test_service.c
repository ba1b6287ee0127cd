/* Tests the program as a Windows service, from its installation to its removal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "collector/base/error.h"
#include "collector/platform/windows/text.h"
#include "collector/program/windows/event_log.h"
#include "tests/integration/service/service_manager.h"
#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/platform/udp_sender.h"
#include "tests/support/proto/telemetry_builder.h"
#include "tests/support/test.h"

#define DATAGRAMS 100

/* --- datagrams and the lines written for them ------------------------------------------------- */

/* Returns the URL of a listener on a port that was free a moment ago. */
static const char *free_listener(struct address *address)
{
    static char url[60];
    struct udp_sender *sender = udp_sender_open(ADDRESS_IPV4);
    *address = udp_sender_address(sender);
    udp_sender_close(sender);
    snprintf(url, sizeof url, "udp://127.0.0.1:%u", (unsigned)address->port);
    return url;
}

static void send_numbered(const struct address *to, int first, int count)
{
    static struct telemetry_builder builder;
    struct udp_sender *sender = udp_sender_open(ADDRESS_IPV4);
    for (int i = first; i < first + count; i++) {
        char name[20];
        snprintf(name, sizeof name, "n%d", i);
        telemetry_begin(&builder);
        telemetry_add_double(&builder, name, 1);
        telemetry_end(&builder);
        udp_sender_send(sender, to, builder.datagram, builder.size);
    }
    udp_sender_close(sender);
}

/*
 * Returns the content of the file, or an empty text if the file does not exist. The caller frees
 * it.
 */
static char *content(const char *name)
{
    wchar_t *path = text_wide_copy(scratch_path(name));
    assert_non_null(path);
    HANDLE file =
        CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
                    NULL, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    free(path);
    LARGE_INTEGER size = {.QuadPart = 0};
    DWORD got = 0;
    if (file != INVALID_HANDLE_VALUE)
        assert_true(GetFileSizeEx(file, &size));
    char *text = calloc(1, (size_t)size.QuadPart + 1);
    assert_non_null(text);
    if (file != INVALID_HANDLE_VALUE) {
        assert_true(ReadFile(file, text, (DWORD)size.QuadPart, &got, NULL));
        CloseHandle(file);
    }
    return text;
}

static int count_lines(const char *name)
{
    int count = 0;
    char *text = content(name);
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        count++;
    free(text);
    return count;
}

static void await_lines(const char *name, int count)
{
    int64_t until = patience_until();
    int found;
    while ((found = count_lines(name)) < count && patience(until))
        continue;
    assert_int_equal(found, count);
}

static void assert_numbered(const char *name, int first, int count)
{
    char *text = content(name);
    char *line = text;
    for (int i = first; i < first + count; i++) {
        char expected[40];
        char *end = strchr(line, '\n');
        snprintf(expected, sizeof expected, "\"name\":\"n%d\"", i);
        if (end == NULL)
            fail_msg("%s ends before n%d", name, i);
        *end = '\0';
        if (strstr(line, expected) == NULL)
            fail_msg("%s is not in \"%s\"", expected, line);
        line = end + 1;
    }
    assert_string_equal(line, "");
    free(text);
}

static void rename_file(const char *from, const char *to)
{
    wchar_t *old = text_wide_copy(scratch_path(from));
    wchar_t *new = text_wide_copy(scratch_path(to));
    assert_true(MoveFileExW(old, new, 0));
    free(old);
    free(new);
}

/* --- installing ------------------------------------------------------------------------------- */

static void assert_installed(struct ended ended)
{
    if (ended.code != EXIT_CODE_OK)
        fail_msg("exit code %lu: %s", ended.code, ended.lines);
    assert_non_null(strstr(ended.lines, service_name()));
}

static void assert_refused(struct ended ended, enum exit_code code, const char *line)
{
    assert_string_equal(ended.lines, line);
    assert_int_equal(ended.code, code);
}

static void assert_not_there(void)
{
    SC_HANDLE service = service_open();
    assert_null(service);
}

/*
 * Reads a value of the service's event source in the registry. Returns false if there is no source.
 */
static bool source_value(const wchar_t *value, wchar_t *text, DWORD size)
{
    wchar_t key[200];
    HKEY open;
    swprintf(key, 200, L"SYSTEM\\CurrentControlSet\\Services\\EventLog\\Application\\%ls",
             service_wide_name());
    if (RegOpenKeyExW(HKEY_LOCAL_MACHINE, key, 0, KEY_QUERY_VALUE, &open) != ERROR_SUCCESS)
        return false;
    assert_int_equal(RegQueryValueExW(open, value, NULL, NULL, (BYTE *)text, &size), 0);
    RegCloseKey(open);
    return true;
}

TEST_WITH(it_is_installed_with_absolute_paths_and_an_account_of_its_own, service_set_up,
          service_clean_up)
{
    (void)state;
    wchar_t expected[2000];
    wchar_t *folder = text_wide_copy(scratch_path(""));
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(),
                                "--display-name=Sluice of a test", "--", "--listen",
                                "udp://127.0.0.1:0?schema=telemetry", "--sink",
                                "file:of all\\%F.ndjson?format=json", "--dead-letter",
                                "file:letters.pcapng", "--ledger", "json"));
    QUERY_SERVICE_CONFIGW *config = service_config();
    assert_int_equal(config->dwServiceType, SERVICE_WIN32_OWN_PROCESS);
    assert_int_equal(config->dwStartType, SERVICE_AUTO_START);
    assert_int_equal(wcscmp(config->lpDisplayName, L"Sluice of a test"), 0);
    swprintf(expected, 2000, L"NT SERVICE\\%ls", service_wide_name());
    assert_int_equal(wcscmp(config->lpServiceStartName, expected), 0);

    /*
     * The program's path in quotation marks, then its arguments. Arguments with blanks are quoted,
     * too.
     */
    const wchar_t *line = config->lpBinaryPathName;
    const wchar_t *end = wcsstr(line, L"\\sluice.exe\" ");
    assert_int_equal(line[0], L'"');
    assert_int_equal(line[2], L':');
    assert_non_null(end);
    swprintf(expected, 2000,
             L"service run -- --listen udp://127.0.0.1:0?schema=telemetry --sink "
             L"\"file:%lsof all/%%F.ndjson?format=json\" --dead-letter file:%lsletters.pcapng "
             L"--ledger json",
             folder, folder);
    if (wcscmp(end + wcslen(L"\\sluice.exe\" "), expected) != 0)
        fail_msg("it is %ls", line);
    free(config);
    free(folder);
}

TEST_WITH(the_event_viewer_finds_its_messages_in_the_program, service_set_up, service_clean_up)
{
    (void)state;
    static const DWORD events[] = {0x40000001, 0x80000002, 0xc0000003};
    wchar_t program[500];
    wchar_t text[100];
    DWORD types;
    wchar_t inserted[] = L"what was logged, 100 %";
    DWORD_PTR arguments[] = {(DWORD_PTR)inserted};
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--listen",
                                "udp://127.0.0.1:0", "--sink", "file:x"));
    assert_true(source_value(L"EventMessageFile", program, sizeof program));
    assert_true(source_value(L"TypesSupported", (wchar_t *)&types, sizeof types));
    assert_int_equal(types, 7);
    HMODULE module = LoadLibraryExW(program, NULL, LOAD_LIBRARY_AS_DATAFILE);
    assert_non_null(module);
    for (size_t i = 0; i < 3; i++) {
        assert_true(FormatMessageW(FORMAT_MESSAGE_FROM_HMODULE | FORMAT_MESSAGE_ARGUMENT_ARRAY,
                                   module, events[i], MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US),
                                   text, 100, (va_list *)arguments) != 0);
        assert_int_equal(wcscmp(text, L"what was logged, 100 %\r\n"), 0);
    }
    FreeLibrary(module);
}

TEST_WITH(what_check_refuses_is_refused_in_the_same_words, service_set_up, service_clean_up)
{
    (void)state;
    struct ended checked = RUN_SLUICE("--check", "--sink", "file:x?fromat=json");
    assert_int_equal(checked.code, EXIT_CODE_USAGE);
    struct ended ended = RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                                    "file:x?fromat=json");
    assert_refused(ended, EXIT_CODE_USAGE, checked.lines);
    checked = RUN_SLUICE("--check", "--sink", "file:x", "--listen",
                         "udp://127.0.0.1:0?schema=not-there.desc&message=a.B");
    assert_int_equal(checked.code, EXIT_CODE_CONFIG);
    ended = RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink", "file:x",
                       "--listen", "udp://127.0.0.1:0?schema=not-there.desc&message=a.B");
    assert_refused(ended, EXIT_CODE_CONFIG, checked.lines);
    assert_not_there();
}

TEST_WITH(a_sink_that_is_standard_output_is_refused, service_set_up, service_clean_up)
{
    (void)state;
    static const char line[] =
        "sluice: error: a service has no standard output; use --sink file:PATH\n";
    assert_refused(RUN_SLUICE("service", "install", "--name", service_name()), EXIT_CODE_USAGE,
                   line);
    assert_refused(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                              "file:x", "--sink", "stdout:"),
                   EXIT_CODE_USAGE, line);
    assert_not_there();
}

TEST_WITH(two_paths_of_one_file_are_refused, service_set_up, service_clean_up)
{
    (void)state;
    char sink[600];
    snprintf(sink, sizeof sink, "file:%s", scratch_path("x"));
    struct ended ended = RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                                    "file:x", "--sink", sink);
    assert_int_equal(ended.code, EXIT_CODE_USAGE);
    assert_non_null(strstr(ended.lines, "an earlier --sink writes there already"));
    assert_not_there();
}

TEST_WITH(what_would_be_taken_for_a_variable_is_refused, service_set_up, service_clean_up)
{
    (void)state;
    assert_true(SetEnvironmentVariableW(L"Y-", L"of the environment"));
    struct ended ended = RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                                    "file:x-%Y-%m", "--listen", "udp://127.0.0.1:0");
    assert_true(SetEnvironmentVariableW(L"Y-", NULL));
    assert_int_equal(ended.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(ended.lines, "environment variable"));
    assert_not_there();
}

TEST_WITH(a_second_service_of_that_name_is_refused_and_the_first_one_stays, service_set_up,
          service_clean_up)
{
    (void)state;
    wchar_t program[500];
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                                "file:x", "--listen", "udp://127.0.0.1:0"));
    struct ended ended = RUN_SLUICE("service", "install", "--name", service_name(), "--", "--sink",
                                    "file:y", "--listen", "udp://127.0.0.1:0");
    assert_int_equal(ended.code, EXIT_CODE_CANNOT_CREATE);
    assert_non_null(strstr(ended.lines, "(error 1073)"));
    QUERY_SERVICE_CONFIGW *config = service_config();
    assert_non_null(wcsstr(config->lpBinaryPathName, L"/x "));
    assert_int_equal(wcscmp(config->lpDisplayName, service_wide_name()), 0);
    free(config);
    assert_true(source_value(L"EventMessageFile", program, sizeof program));
}

TEST_WITH(a_name_that_no_service_can_have_is_refused, service_set_up, service_clean_up)
{
    (void)state;
    static const char *const names[] = {"", "a/b", "a\\b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ended ended = RUN_SLUICE("service", "install", "--name", names[i], "--", "--sink",
                                        "file:x", "--listen", "udp://127.0.0.1:0");
        assert_int_equal(ended.code, EXIT_CODE_USAGE);
        assert_non_null(strstr(ended.lines, "the name of a service"));
    }
}

TEST_WITH(what_is_not_understood_is_refused, service_set_up, service_clean_up)
{
    (void)state;
    assert_int_equal(RUN_SLUICE("service").code, EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "begin").code, EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "install", "--nam", "x").code, EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "install", "--name").code, EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "install", "--sink", "file:x").code, EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "remove", "--name", service_name(), "--").code,
                     EXIT_CODE_USAGE);
    assert_int_equal(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--check",
                                "--sink", "file:x")
                         .code,
                     EXIT_CODE_USAGE);
    assert_not_there();
}

/* --- running ---------------------------------------------------------------------------------- */

static void install_listening(struct address *address)
{
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--listen",
                                free_listener(address), "--sink", "file:records.ndjson"));
}

static void assert_ended_well(SERVICE_STATUS_PROCESS status)
{
    assert_int_equal(status.dwWin32ExitCode, NO_ERROR);
    assert_int_equal(status.dwServiceSpecificExitCode, 0);
}

TEST_WITH(it_collects_until_it_is_stopped_and_loses_nothing, service_set_up, service_clean_up)
{
    (void)state;
    struct address to;
    install_listening(&to);
    service_start();
    SERVICE_STATUS_PROCESS status = service_await(SERVICE_RUNNING);
    assert_int_equal(status.dwControlsAccepted,
                     SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN | SERVICE_ACCEPT_PARAMCHANGE);

    send_numbered(&to, 0, DATAGRAMS);
    await_lines("records.ndjson", DATAGRAMS);

    /* A reload opens the files again by their configured names. */
    rename_file("records.ndjson", "earlier.ndjson");
    assert_int_equal(service_order(SERVICE_CONTROL_PARAMCHANGE), NO_ERROR);
    int64_t until = patience_until();
    while (!scratch_has("records.ndjson") && patience(until))
        continue;
    assert_true(scratch_has("records.ndjson"));

    assert_int_equal(service_order(128), NO_ERROR);

    /* When the service stops, it receives and writes the datagrams that have arrived. */
    send_numbered(&to, DATAGRAMS, DATAGRAMS);
    assert_int_equal(service_order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_ended_well(service_await(SERVICE_STOPPED));
    assert_numbered("earlier.ndjson", 0, DATAGRAMS);
    assert_numbered("records.ndjson", DATAGRAMS, DATAGRAMS);
}

TEST_WITH(it_can_be_started_again, service_set_up, service_clean_up)
{
    (void)state;
    struct address to;
    install_listening(&to);
    for (int round = 0; round < 2; round++) {
        service_start();
        service_await(SERVICE_RUNNING);
        send_numbered(&to, round * DATAGRAMS, DATAGRAMS);
        assert_int_equal(service_order(SERVICE_CONTROL_STOP), NO_ERROR);
        assert_ended_well(service_await(SERVICE_STOPPED));
    }
    assert_numbered("records.ndjson", 0, 2 * DATAGRAMS);
}

TEST_WITH(relative_paths_in_its_configuration_file_begin_in_the_folder_of_the_file, service_set_up,
          service_clean_up)
{
    (void)state;
    struct address to;
    char text[200];
    scratch_make_folder("etc");
    scratch_make_folder("etc/out");
    snprintf(text, sizeof text, "listeners: [%s?schema=telemetry]\nsinks: [\"file:out/x\"]\n",
             free_listener(&to));
    scratch_put_text("etc/a.yaml", text);
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--config",
                                "etc\\a.yaml"));
    service_start();
    service_await(SERVICE_RUNNING);
    send_numbered(&to, 0, DATAGRAMS);
    assert_int_equal(service_order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_ended_well(service_await(SERVICE_STOPPED));
    assert_numbered("etc/out/x", 0, DATAGRAMS);
}

TEST_WITH(what_a_configuration_file_names_is_checked_there, service_set_up, service_clean_up)
{
    (void)state;
    scratch_make_folder("etc");
    scratch_put_text("etc/of.desc", "");
    scratch_put_text("etc/a.yaml", "listeners: [\"udp://127.0.0.1:0?schema=of.desc&message=a.B\"]\n"
                                   "sinks: [\"file:x\"]\n");
    struct ended ended =
        RUN_SLUICE("service", "install", "--name", service_name(), "--", "--config", "etc/a.yaml");
    assert_int_equal(ended.code, EXIT_CODE_CONFIG);
    assert_non_null(strstr(ended.lines, "no descriptor set")); /* the file was found */
    assert_not_there();
}

TEST_WITH(ctl_reaches_it_as_it_does_others, service_set_up, service_clean_up)
{
    (void)state;
    struct address to;
    char process[20];
    install_listening(&to);
    service_start();
    snprintf(process, sizeof process, "%lu", service_await(SERVICE_RUNNING).dwProcessId);
    send_numbered(&to, 0, DATAGRAMS);
    assert_int_equal(RUN_SLUICE("ctl", "stop", process).code, EXIT_CODE_OK);
    assert_ended_well(service_await(SERVICE_STOPPED));
    assert_numbered("records.ndjson", 0, DATAGRAMS);
}

TEST_WITH(one_that_cannot_start_reports_its_exit_code, service_set_up, service_clean_up)
{
    (void)state;
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--listen",
                                "udp://127.0.0.1:0", "--sink", "file:not/there/x"));
    service_start();
    SERVICE_STATUS_PROCESS status = service_await(SERVICE_STOPPED);
    assert_int_equal(status.dwWin32ExitCode, ERROR_SERVICE_SPECIFIC_ERROR);
    assert_int_equal(status.dwServiceSpecificExitCode, EXIT_CODE_CANNOT_CREATE);
}

TEST_WITH(one_that_ends_by_itself_has_stopped, service_set_up, service_clean_up)
{
    (void)state;
    assert_installed(RUN_SLUICE("service", "install", "--name", service_name(), "--", "--listen",
                                "udp://127.0.0.1:0", "--sink", "file:x", "--duration", "10ms"));
    service_start();
    assert_ended_well(service_await(SERVICE_STOPPED));
}

/* --- a service with a configuration file ------------------------------------------------------ */

/* Writes sluice.yaml with one listener, and with these files as sinks, relative to its folder. */
static void write_config(const char *listener, const char *first, const char *second)
{
    char text[2000];
    int used = snprintf(text, sizeof text,
                        "listeners:\r\n  - address: %s\r\n    schema: telemetry\r\nsinks:\r\n"
                        "  - to: 'file:%s'\r\n",
                        listener, first);
    if (second != NULL)
        snprintf(text + used, sizeof text - (size_t)used, "  - to: 'file:%s'\r\n", second);
    scratch_put_text("sluice.yaml", text);
}

static struct ended install_with_config(void)
{
    return RUN_SLUICE("service", "install", "--name", service_name(), "--", "--config",
                      "sluice.yaml");
}

TEST_WITH(its_configuration_is_read_again_at_paramchange, service_set_up, service_clean_up)
{
    (void)state;
    struct address to;
    const char *listener = free_listener(&to);
    write_config(listener, "one", NULL);
    assert_installed(install_with_config());
    QUERY_SERVICE_CONFIGW *config = service_config();
    wchar_t *path = text_wide_copy(scratch_path("sluice.yaml"));
    assert_non_null(wcsstr(config->lpBinaryPathName, path));
    free(config);
    free(path);
    service_start();
    service_await(SERVICE_RUNNING);
    send_numbered(&to, 0, DATAGRAMS);
    await_lines("one", DATAGRAMS);

    /* An invalid file is refused, and the service keeps its configuration. */
    scratch_put_text("sluice.yaml", "sinks: [");
    assert_int_equal(service_order(SERVICE_CONTROL_PARAMCHANGE), NO_ERROR);
    send_numbered(&to, DATAGRAMS, DATAGRAMS);
    await_lines("one", 2 * DATAGRAMS);

    write_config(listener, "one", "two");
    assert_int_equal(service_order(SERVICE_CONTROL_PARAMCHANGE), NO_ERROR);
    int64_t until = patience_until();
    while (!scratch_has("two") && patience(until))
        continue;
    assert_true(scratch_has("two"));
    /* A reload opens the new file before the sink gets records. */
    int more = 0;
    for (; count_lines("two") == 0 && patience(until); more++)
        send_numbered(&to, 2 * DATAGRAMS + more, 1);
    assert_int_equal(service_order(SERVICE_CONTROL_STOP), NO_ERROR);
    assert_ended_well(service_await(SERVICE_STOPPED));
    assert_numbered("one", 0, 2 * DATAGRAMS + more);
    int second = count_lines("two");
    assert_in_range(second, 1, more);
    assert_numbered("two", 2 * DATAGRAMS + more - second, second);
}

TEST_WITH(a_configuration_that_check_refuses_is_refused, service_set_up, service_clean_up)
{
    (void)state;
    struct ended checked = RUN_SLUICE("--check", "--config", "sluice.yaml");
    assert_int_equal(checked.code, EXIT_CODE_CONFIG);
    assert_refused(install_with_config(), EXIT_CODE_CONFIG, checked.lines);
    assert_not_there();
}

/*
 * No other test may start a service during this one: Wine would take this test's process for the
 * starting service.
 */
TEST_WITH(by_hand_it_says_who_starts_it, service_set_up, service_clean_up)
{
    (void)state;
    assert_refused(
        RUN_SLUICE("service", "run", "--", "--sink", "file:x"), EXIT_CODE_USAGE,
        "sluice: error: only the service manager may call service run; start an installed "
        "service with sc.exe start NAME\n");
    assert_false(scratch_has("x"));
}

/* --- removing --------------------------------------------------------------------------------- */

TEST_WITH(remove_leaves_nothing_behind, service_set_up, service_clean_up)
{
    (void)state;
    wchar_t program[500];
    struct address to;
    install_listening(&to);
    assert_int_equal(RUN_SLUICE("service", "remove", "--name", service_name()).code, 0);
    assert_not_there();
    assert_false(source_value(L"EventMessageFile", program, sizeof program));
    struct ended ended = RUN_SLUICE("service", "remove", "--name", service_name());
    assert_int_equal(ended.code, EXIT_CODE_IO);
    assert_non_null(strstr(ended.lines, "(error 1060)"));
}

TEST_WITH(remove_stops_one_that_runs_and_loses_nothing, service_set_up, service_clean_up)
{
    (void)state;
    struct address to;
    install_listening(&to);
    service_start();
    service_await(SERVICE_RUNNING);
    send_numbered(&to, 0, DATAGRAMS);
    assert_int_equal(RUN_SLUICE("service", "remove", "--name", service_name()).code, 0);
    assert_not_there();
    assert_numbered("records.ndjson", 0, DATAGRAMS);
}

TEST_WITH(remove_leaves_other_programs_services_alone, service_set_up, service_clean_up)
{
    (void)state;
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CREATE_SERVICE);
    assert_non_null(manager);
    SC_HANDLE service =
        CreateServiceW(manager, service_wide_name(), NULL, SERVICE_ALL_ACCESS,
                       SERVICE_WIN32_OWN_PROCESS, SERVICE_DEMAND_START, SERVICE_ERROR_NORMAL,
                       L"\"C:\\service run\\other.exe\"", NULL, NULL, NULL, NULL, NULL);
    assert_non_null(service);
    CloseServiceHandle(service);
    CloseServiceHandle(manager);
    assert_refused(RUN_SLUICE("service", "remove", "--name", service_name()), EXIT_CODE_USAGE,
                   "sluice: error: this service does not belong to sluice; not removed\n");
    service = service_open();
    assert_non_null(service);
    CloseServiceHandle(service);
}
