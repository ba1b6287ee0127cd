/*
 * sluice-top: shows a page about a running collector, updated every second. With --tap it prints
 * the records that the collector decodes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/clock.h"
#include "collector/platform/process.h"
#include "tools/command/interrupt.h"
#include "tools/top/addresses.h"
#include "tools/top/connection.h"
#include "tools/top/options.h"
#include "tools/top/terminal.h"
#include "tools/top/watch.h"

#define PERIOD_MS    1000
#define ONCE_COLUMNS 100

/* --- the page --------------------------------------------------------------------------------- */

/*
 * Prints the page once. Queries the collector twice, with a pause, because rates need two answers.
 */
static int show_once(struct watch *watch, struct error *error)
{
    struct page page;
    const char *line;
    size_t size;
    int result = watch_ask(watch);
    if (result == 0) {
        /* This waits for the period, because no line is expected. */
        connection_read(watch->connection, PERIOD_MS, &line, &size);
        result = watch_ask(watch);
    }
    *error = watch->trouble;
    if (result != 0)
        return -1;
    if (!watch_draw(watch, PAGE_ALL_ROWS, ONCE_COLUMNS, NULL, &page)) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < page.rows; i++)
        puts(page.lines[i].text);
    page_clear(&page);
    return 0;
}

static bool show(const struct watch *watch, struct view *view)
{
    struct page page;
    size_t rows, columns;
    terminal_size(&rows, &columns);
    if (!watch_draw(watch, rows, columns, view, &page))
        return false;
    terminal_show(&page);
    page_clear(&page);
    return true;
}

static int show_always(struct watch *watch, struct error *error)
{
    int64_t next = clock_monotonic_ns();
    enum terminal_key key = TERMINAL_NO_KEY;
    enum view_key pressed;
    struct view view = {.selected = 0};
    interrupt_catch();
    if (terminal_open(error) != 0)
        return -1;
    bool drawn = true;
    while (drawn && key != TERMINAL_QUIT && !interrupt_seen()) {
        int64_t now = clock_monotonic_ns();
        if (now >= next) {
            watch_ask(watch);
            next = now + (int64_t)PERIOD_MS * 1000000;
        }
        drawn = show(watch, &view);
        now = clock_monotonic_ns();
        key = terminal_wait(next <= now ? 0 : (int)((next - now) / 1000000) + 1, &pressed);
        if (key == TERMINAL_VIEW)
            view_press(&view, pressed);
    }
    terminal_close();
    if (drawn)
        return 0;
    return error_no_memory(error);
}

/* --- the tap ---------------------------------------------------------------------------------- */

/* A line of a tap that begins with one of these is not a record, but a message of the collector. */
static const char left_out[] = "{\"left_out_records\":";
static const char refusal[] = "{\"error\":";

static bool begins(const char *line, size_t size, const char *with)
{
    return size > strlen(with) && memcmp(line, with, strlen(with)) == 0;
}

static int pass_on(const char *line, size_t size, struct error *error)
{
    errno = 0;
    if (begins(line, size, left_out)) {
        const char *count = line + strlen(left_out);
        fprintf(stderr, "%s: records left out: %.*s\n", top_command.name,
                (int)strspn(count, "0123456789"), count);
        return 0;
    }
    if (begins(line, size, refusal)) {
        error_set(error, EXIT_CODE_IO, "the collector has refused: %.*s", (int)size - 1, line);
        return -1;
    }
    if (fwrite(line, 1, size, stdout) == size && fflush(stdout) == 0)
        return 0;
    error_set(error, EXIT_CODE_IO, "cannot write to standard output: %s", strerror(errno));
    return -1;
}

/*
 * Writes the records of a tap until the program must stop. Sets *quiet if the reader of standard
 * output has closed its end, which is not an error.
 */
static int tap(const struct top_settings *settings, struct connection *connection, bool *quiet,
               struct error *error)
{
    char request[512];
    snprintf(request, sizeof request, "tap %s", settings->pattern);
    interrupt_catch();
    if (connection_send(connection, request, error) != 0)
        return -1;
    while (!interrupt_seen()) {
        const char *line;
        size_t size;
        switch (connection_read(connection, PERIOD_MS, &line, &size)) {
        case CONNECTION_LINE:
            if (pass_on(line, size, error) == 0)
                break;
            *quiet = errno == EPIPE;
            return *quiet ? 0 : -1;
        case CONNECTION_TIMEOUT:
            break;
        case CONNECTION_READER_GONE:
            *quiet = true;
            return 0;
        case CONNECTION_GONE:
            error_set(error, EXIT_CODE_IO, "the collector has closed the connection");
            return -1;
        }
    }
    return 0;
}

/* --- the program ------------------------------------------------------------------------------ */

static int run_tap(const struct top_settings *settings, bool *quiet, struct error *error)
{
    struct connection *connection;
    char address[CONTROL_ADDRESS_SIZE];
    if (addresses_open(settings->address, &connection, address, error) != 0)
        return -1;
    int result = tap(settings, connection, quiet, error);
    connection_close(connection);
    return result;
}

static int run_page(const struct top_settings *settings, struct error *error)
{
    struct watch watch = {.given = settings->address};
    int result = settings->once || !terminal_is_there() ? show_once(&watch, error)
                                                        : show_always(&watch, error);
    watch_clear(&watch);
    return result;
}

int program_main(int argc, char **argv)
{
    struct top_settings settings = {0};
    struct error error;
    bool quiet = false;
    int code;
    if (!command_begin(&top_command, argc, argv, &settings, &code))
        return code;
    int result =
        settings.pattern != NULL ? run_tap(&settings, &quiet, &error) : run_page(&settings, &error);
    return quiet ? EXIT_CODE_OK : command_end(&top_command, result, &error);
}
