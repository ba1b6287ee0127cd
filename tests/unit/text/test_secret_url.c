/* Tests that the secret parts of a sink's URL are found and not shown. */
#include <stdlib.h>
#include <string.h>

#include "collector/text/secret_url.h"
#include "tests/support/test.h"

static void shows(const char *url, const char *expected)
{
    size_t length = strlen(url);
    char *to = malloc(SECRET_URL_ROOM(length));
    assert_non_null(to);
    size_t size = secret_url_mask(url, length, to);
    if (size != strlen(expected) || memcmp(to, expected, size) != 0)
        fail_msg("%s is shown as %.*s, not as %s", url, (int)size, to, expected);
    free(to);
}

TEST(text_without_secrets_is_unchanged)
{
    static const char *const urls[] = {
        "",
        "x",
        "stdout:",
        "stdout",
        ":",
        "http:",
        "http://",
        "http://h",
        "http://h/",
        "http://h//",
        "https://h:8086/api/v2/write?query=org=a%26bucket=b",
        "http://[::1]:9090/api/v1/write",
        "https://prometheus-prod-24-prod-eu-west-2.grafana.net/api/prom/push",
        "https://otlp-gateway-prod-eu-west-0.grafana.net/otlp",
        "https://h/insert/0/prometheus",
        "https://h/opentelemetry/v1/metrics",
        "http://h/a_long_name_of_a_tenant_2026/write",
        "http://h/metrics/job/sluice/instance/router-17.example.net",
        "kafka://a:9092,b/metrics.%{source}",
        "nats://127.0.0.1:4222/metrics.>",
        "udp:10.0.0.1:514",
        "file:/var/log/0123456789abcdef0123456789abcdef/x@y.json?compress=gzip&token=x",
        "https://h/?token_file=/a&client_key=/b&password_file=c",
        "kafka://a/t?key=%{source}",
    };
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++)
        shows(urls[i], urls[i]);
}

TEST(a_user_and_a_password_are_not_shown)
{
    shows("http://me:hush@h/write", "http://***@h/write");
    shows("nats://hush@h:4222/a", "nats://***@h:4222/a");
    shows("kafka://me:hu@sh@h/a", "kafka://***@h/a");
}

TEST(a_part_of_the_path_that_looks_like_a_key_is_not_shown)
{
    shows("https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/kGXzWq3mYbT8RvNc5LdPs7Hf",
          "https://hooks.slack.com/services/T01ABCDEF/B01ABCDEF/***");
    shows("https://logs-01.loggly.com/bulk/01234567-89ab-cdef-0123-456789abcdef/tag/bulk/",
          "https://logs-01.loggly.com/bulk/***/tag/bulk/");
    shows("https://h/receiver/v1/http/ZaVnC4dhaV0-x_9-ab_CD-ef_GH-12-==",
          "https://h/receiver/v1/http/***");
    shows("https://h/abcdefghijKLMNOPQRST/x", "https://h/***/x");
    shows("https://h/bot110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw/send", "https://h/***/send");
    shows("https://h/v1/token/hush/write", "https://h/v1/token/***/write");
    shows("https://h/token=hush/write", "https://h/token=***/write");
}

TEST(secrets_of_keys_and_of_the_query_are_not_shown)
{
    shows("http://h/?query=u=me%26p=hush%26db=a&gzip=on",
          "http://h/?query=u=me%26p=***%26db=a&gzip=on");
    shows("http://h/?api_key=hush&p=hush&x=1", "http://h/?api_key=***&p=***&x=1");
    shows("http://h/?query=&x", "http://h/?query=&x");
}

TEST(no_part_of_a_command_is_shown)
{
    shows("command:psql 'password=hush'?format=csv", "command:***?format=csv");
    shows("command:a", "command:***");
}

TEST(blanking_keeps_all_offsets)
{
    char url[] = "http://me:hush@h/a?p=hush&b=c";
    secret_url_blank(url, strlen(url));
    assert_string_equal(url, "http://*******@h/a?p=****&b=c");
}

TEST(a_url_of_secrets_of_one_byte_has_room)
{
    shows("x:?p=a&p=b&p=c", "x:?p=***&p=***&p=***");
    shows("x:?query=p=a&query=p=b", "x:?query=p=***&query=p=***");
}
