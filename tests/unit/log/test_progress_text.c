#include <string.h>

#include "collector/log/progress_text.h"
#include "tests/support/test.h"

static const struct progress_figures reading = {
    .doing = "reading",
    .name = "day.pcap",
    .done = 420,
    .total = 1000,
    .counted = "datagrams",
    .count = 1234567,
    .seconds = 4,
};

static const char *line_of(const struct progress_figures *figures, size_t columns)
{
    static char line[PROGRESS_TEXT_SIZE];
    memset(line, '#', sizeof line);
    size_t size = progress_text(figures, columns, line);
    assert_int_equal(strlen(line), size);
    assert_in_range(size, 0, columns);
    return line;
}

TEST(it_has_share_count_rate_and_time_left)
{
    assert_string_equal(line_of(&reading, 200),
                        "reading day.pcap: 42 %, 1,234,567 datagrams, 309,000/s, 6 s left");
}

TEST(bytes_have_their_rate_in_units)
{
    struct progress_figures figures = reading;
    figures.counted = NULL;
    figures.bytes = true;
    figures.done = 2.5e9;
    figures.total = 1e10;
    figures.seconds = 100;
    assert_string_equal(line_of(&figures, 200), "reading day.pcap: 25 %, 25 MB/s, 5 min 00 s left");
}

TEST(where_nobody_knows_the_end_there_is_no_share_and_no_rest)
{
    struct progress_figures figures = reading;
    figures.total = 0;
    figures.name = NULL;
    assert_string_equal(line_of(&figures, 200), "reading: 1,234,567 datagrams, 309,000/s");
}

TEST(at_the_begin_and_at_the_end_nothing_is_guessed)
{
    struct progress_figures figures = reading;
    figures.seconds = 0.1;
    assert_string_equal(line_of(&figures, 200), "reading day.pcap: 42 %, 1,234,567 datagrams");
    figures = reading;
    figures.done = 0;
    figures.count = 0;
    assert_string_equal(line_of(&figures, 200), "reading day.pcap: 0 %, 0 datagrams, 0/s");
    figures = reading;
    figures.done = 2000; /* more than the file's size at the start, because the file has grown */
    assert_string_equal(line_of(&figures, 200),
                        "reading day.pcap: 100 %, 1,234,567 datagrams, 309,000/s");
}

TEST(a_share_is_100_only_at_the_end)
{
    struct progress_figures figures = reading;
    figures.done = 999.9;
    assert_non_null(strstr(line_of(&figures, 200), ": 99 %,"));
}

TEST(times_are_as_exact_as_a_guess_can_be)
{
    static const struct {
        double seconds;
        const char *shown;
    } times[] = {{0.2, ", 0 s left"},         {99, ", 99 s left"},
                 {100, ", 1 min 40 s left"},  {3599, ", 59 min 59 s left"},
                 {6000, ", 1 h 40 min left"}, {7200, ", 2 h 00 min left"},
                 {1e9, ", days left"},        {1e300, ", days left"}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct progress_figures figures = reading;
        figures.done = 1;
        figures.total = 2;
        figures.seconds = times[i].seconds;
        assert_non_null(strstr(line_of(&figures, 200), times[i].shown));
    }
}

TEST(on_a_narrow_terminal_the_end_is_left_out_and_the_name_cut_at_its_begin)
{
    struct progress_figures figures = reading;
    figures.name = "/var/lib/captures/2026/november/day.pcap";
    assert_string_equal(line_of(&figures, 60), "reading .../2026/november/day.pcap: 42 %");
    assert_string_equal(line_of(&figures, 40), "reading ...mber/day.pcap: 42 %");
    assert_string_equal(line_of(&figures, 12), "reading");
    assert_string_equal(line_of(&figures, 3), "");
    assert_string_equal(line_of(&figures, 0), "");
}

TEST(a_name_cannot_command_the_terminal)
{
    struct progress_figures figures = reading;
    figures.name = "a\033[2J\n\xc3\xa4";
    assert_non_null(strstr(line_of(&figures, 200), "reading a?[2J???: "));
}

TEST(every_width_has_a_line_that_fits)
{
    struct progress_figures figures = reading;
    char name[600];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    figures.name = name;
    figures.count = UINT64_MAX;
    figures.seconds = 1e-3;
    for (size_t columns = 0; columns < 600; columns++) {
        figures.seconds = columns % 2 != 0 ? 1 : 1e300;
        line_of(&figures, columns);
    }
}
