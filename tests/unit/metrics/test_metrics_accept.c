#include "collector/metrics/metrics_accept.h"
#include "tests/support/test.h"

#define OPENMETRICS "application/openmetrics-text"

TEST(who_names_openmetrics_gets_it)
{
    assert_true(metrics_accept_openmetrics(OPENMETRICS));
    assert_true(metrics_accept_openmetrics(OPENMETRICS ";version=1.0.0"));
    assert_true(metrics_accept_openmetrics("  Application/OpenMetrics-Text ; charset=utf-8 "));
    assert_true(metrics_accept_openmetrics("text/plain;q=0.5," OPENMETRICS ";q=0.75"));
    /* The header that Prometheus sends. */
    assert_true(metrics_accept_openmetrics(OPENMETRICS ";version=1.0.0," OPENMETRICS
                                                       ";version=0.0.1;q=0.75,"
                                                       "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
}

TEST(who_wants_the_other_text_more_gets_that)
{
    assert_false(metrics_accept_openmetrics("text/plain," OPENMETRICS ";q=0.9"));
    assert_false(metrics_accept_openmetrics("text/plain;q=0.51," OPENMETRICS ";q=0.5"));
    assert_true(metrics_accept_openmetrics("text/plain;q=0.5," OPENMETRICS ";q=0.500"));
    assert_true(metrics_accept_openmetrics("text/plain;q=0.5," OPENMETRICS ";q=0.501"));
}

TEST(who_refuses_openmetrics_or_does_not_name_it_does_not_get_it)
{
    assert_false(metrics_accept_openmetrics(NULL));
    assert_false(metrics_accept_openmetrics(""));
    assert_false(metrics_accept_openmetrics("*/*"));
    assert_false(metrics_accept_openmetrics("application/*"));
    assert_false(metrics_accept_openmetrics("text/html, text/plain"));
    assert_false(metrics_accept_openmetrics(OPENMETRICS ";q=0"));
    assert_false(metrics_accept_openmetrics(OPENMETRICS ";q=0.000"));
    assert_false(metrics_accept_openmetrics(OPENMETRICS "s"));
    assert_false(metrics_accept_openmetrics("application/openmetrics"));
}

TEST(what_cannot_be_read_harms_nobody)
{
    assert_false(metrics_accept_openmetrics(",,;;,=;q,"));
    assert_false(metrics_accept_openmetrics(OPENMETRICS ";q=-1"));
    assert_false(metrics_accept_openmetrics(OPENMETRICS ";q=x"));
    assert_true(metrics_accept_openmetrics(OPENMETRICS ";q=9999999999999"));
    assert_true(metrics_accept_openmetrics(";" OPENMETRICS "," OPENMETRICS ";;q"));
}

TEST(who_takes_gzip_gets_it)
{
    assert_true(metrics_accept_gzip("gzip"));
    assert_true(metrics_accept_gzip("gzip, deflate, br, zstd")); /* what browsers send */
    assert_true(metrics_accept_gzip("br;q=1.0, GZip;q=0.5"));
    assert_false(metrics_accept_gzip(NULL));
    assert_false(metrics_accept_gzip(""));
    assert_false(metrics_accept_gzip("identity"));
    assert_false(metrics_accept_gzip("gzip;q=0"));
    assert_false(metrics_accept_gzip("x-gzip2, deflate"));
}
