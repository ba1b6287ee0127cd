#include "collector/text/utc_time.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

static void is(const char *text, int64_t wanted)
{
    int64_t ns = -1;
    if (!utc_time_parse(text, &ns) || ns != wanted)
        fail_msg("%s: %lld, not %lld", text, (long long)ns, (long long)wanted);
}

static void refused(const char *text)
{
    int64_t ns;
    if (utc_time_parse(text, &ns))
        fail_msg("%s: was taken", text);
}

TEST(days_of_all_kinds_of_years)
{
    is("1970-01-01T00:00:00Z", 0);
    is("1970-12-31T23:59:59Z", INT64_C(31535999000000000));
    is("2000-02-29T00:00:00Z", INT64_C(951782400000000000));
    is("2024-03-01T00:00:00Z", INT64_C(1709251200000000000));
    is("2100-03-01T00:00:00Z", INT64_C(4107542400000000000));
    is("2261-12-31T23:59:59.999999999Z", INT64_C(9214646399999999999));
}

TEST(a_fraction_has_one_to_nine_digits)
{
    is("1970-01-01T00:00:00.5Z", 500000000);
    is("1970-01-01T00:00:01.000000001Z", 1000000001);
    refused("1970-01-01T00:00:00.Z");
    refused("1970-01-01T00:00:00.0000000001Z");
}

TEST(what_is_no_moment_is_refused)
{
    static const char *const texts[] = {
        "",
        "2026",
        "1969-12-31T23:59:59Z",
        "2262-01-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-04-31T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00+01:00",
        "2026-01-01T00:00:00ZZ",
        "+026-01-01T00:00:00Z",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refused(texts[i]);
}

TEST(every_beginning_of_a_moment_is_refused)
{
    static const char whole[] = "2026-11-21T06:43:36.380583035Z";
    char text[sizeof whole];
    for (size_t i = 0; i + 1 < sizeof whole; i++) {
        memcpy(text, whole, i);
        text[i] = '\0';
        refused(text);
    }
}
