#include <string.h>

#include "sinks/destinations/http_probe.h"
#include "tests/support/test.h"

static struct error said;

static enum exit_code judge(long status)
{
    said = (struct error){.code = EXIT_CODE_INTERNAL};
    http_probe_classify(status, "the server said so", &said);
    return said.code;
}

static void assert_refused(long first, long last, enum exit_code code, const char *why)
{
    for (long status = first; status <= last; status++) {
        assert_int_equal(judge(status), code);
        assert_non_null(strstr(said.text, "the server said so: "));
        assert_non_null(strstr(said.text, why));
    }
}

TEST(a_status_of_success_is_reached)
{
    for (long status = 200; status < 300; status++)
        assert_int_equal(judge(status), EXIT_CODE_OK);
    assert_string_equal(said.text, "reached; it accepted a request without records (299)");
}

TEST(what_has_to_be_set_otherwise_is_a_matter_of_the_configuration)
{
    assert_refused(300, 399, EXIT_CODE_CONFIG, "redirects are not followed");
    assert_refused(401, 401, EXIT_CODE_CONFIG, "token_file=");
    assert_refused(403, 403, EXIT_CODE_CONFIG, "token_file=");
    assert_refused(404, 405, EXIT_CODE_CONFIG, "path");
    assert_refused(410, 410, EXIT_CODE_CONFIG, "path");
    assert_refused(415, 415, EXIT_CODE_CONFIG, "format=");
}

TEST(a_server_that_takes_nothing_now_is_not_reached)
{
    assert_refused(408, 408, EXIT_CODE_NOT_REACHED, "now");
    assert_refused(429, 429, EXIT_CODE_NOT_REACHED, "now");
    assert_refused(500, 599, EXIT_CODE_NOT_REACHED, "now");
    assert_refused(600, 999, EXIT_CODE_CONFIG, "not a status of HTTP");
}

TEST(what_refuses_a_request_without_records_may_take_others)
{
    static const long others[] = {400, 406, 411, 422, 499};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(judge(others[i]), EXIT_CODE_OK);
        assert_non_null(strstr(said.text, "the server said so"));
        assert_non_null(strstr(said.text, "others may be accepted"));
    }
}
