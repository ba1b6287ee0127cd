/*
 * Tests the certificates of an https: sink with libcurl on OpenSSL and on Schannel. The libcurl
 * here only reports a version and notes which options are set.
 */
#include "sinks/destinations/http_tls.h"

#include <stdarg.h>
#include <string.h>

#include "collector/platform/trusted_authorities.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

static const char *version;
static const char *type, *cert, *key, *authority;
static long tls_options;
static CURLoption unknown;

static char *own_version(void)
{
    return (char *)(size_t)version;
}

static CURLcode own_setopt(CURL *easy, CURLoption option, ...)
{
    va_list more;
    (void)easy;
    if (option == unknown)
        return CURLE_UNKNOWN_OPTION;
    va_start(more, option);
    switch (option) {
    case CURLOPT_CAINFO:
        authority = va_arg(more, const char *);
        break;
    case CURLOPT_SSLCERT:
        cert = va_arg(more, const char *);
        break;
    case CURLOPT_SSLCERTTYPE:
        type = va_arg(more, const char *);
        break;
    case CURLOPT_SSLKEY:
        key = va_arg(more, const char *);
        break;
    case CURLOPT_SSL_OPTIONS:
        tls_options = va_arg(more, long);
        break;
    default:
        fail_msg("option %d", (int)option);
    }
    va_end(more);
    return CURLE_OK;
}

static const struct curl_library library = {.version = own_version, .easy_setopt = own_setopt};

static int make(void **state)
{
    version = type = cert = key = authority = NULL;
    tls_options = 0;
    unknown = (CURLoption)0;
    return scratch_make(state);
}

static struct client_tls pem(void)
{
    scratch_put_text("ca", "-----BEGIN CERTIFICATE-----\n");
    scratch_put_text("cert", "-----BEGIN CERTIFICATE-----\n");
    scratch_put_text("key", "-----BEGIN PRIVATE KEY-----\n");
    return (struct client_tls){.ca = (char *)(size_t)scratch_path("ca"),
                               .cert = (char *)(size_t)scratch_path("cert"),
                               .key = (char *)(size_t)scratch_path("key")};
}

static void assert_refused(const struct client_tls *tls, const char *key_of_url, const char *why)
{
    struct error error = {.code = EXIT_CODE_OK};
    assert_int_equal(http_tls_check(&library, tls, true, &error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_ptr_equal(strstr(error.text, key_of_url), error.text);
    assert_non_null(strstr(error.text, why));
}

TEST_WITH(openssl_takes_a_certificate_and_its_key_in_pem, make, scratch_remove)
{
    (void)state;
    struct error error;
    const struct client_tls tls = pem();
    version = "libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13";
    assert_int_equal(http_tls_check(&library, &tls, true, &error), 0);
    assert_true(http_tls_set(&library, NULL, &tls));
    assert_string_equal(authority, tls.ca);
    assert_string_equal(cert, tls.cert);
    assert_string_equal(key, tls.key);
    assert_null(type);
}

TEST_WITH(schannel_takes_pkcs12_with_the_key_inside, make, scratch_remove)
{
    (void)state;
    struct error error;
    struct client_tls tls = pem();
    version = "libcurl/7.88.1 Schannel";
    scratch_put("cert", "\x30\x82", 2);
    tls.key = NULL;
    assert_int_equal(http_tls_check(&library, &tls, true, &error), 0);
    assert_true(http_tls_set(&library, NULL, &tls));
    assert_string_equal(authority, tls.ca);
    assert_string_equal(cert, tls.cert);
    assert_string_equal(type, "P12");
    assert_null(key);
}

TEST_WITH(schannel_does_not_take_a_key_of_its_own_file, make, scratch_remove)
{
    (void)state;
    struct client_tls tls = pem();
    version = "libcurl/7.88.1 Schannel";
    assert_refused(&tls, "client_key=", "openssl pkcs12 -export");
    scratch_put("cert", "\x30\x82", 2);
    assert_refused(&tls, "client_key=", "openssl pkcs12 -export");
}

TEST_WITH(schannel_does_not_take_a_certificate_in_pem, make, scratch_remove)
{
    (void)state;
    struct client_tls tls = pem();
    version = "libcurl/7.88.1 Schannel";
    tls.key = NULL;
    assert_refused(&tls, "client_cert=", "only PKCS#12");
    scratch_put("cert", "", 0);
    assert_refused(&tls, "client_cert=", "only PKCS#12");
}

TEST_WITH(a_file_that_is_missing_is_refused_by_both, make, scratch_remove)
{
    (void)state;
    struct client_tls tls = pem();
    const char *const versions[] = {"libcurl/7.88.1 OpenSSL/3.0.15", "libcurl/7.88.1 Schannel"};
    for (size_t i = 0; i < 2; i++) {
        version = versions[i];
        tls.ca = (char *)(size_t)scratch_path("missing");
        assert_refused(&tls, "server_ca=", "missing");
        tls.ca = NULL;
        tls.cert = (char *)(size_t)scratch_path("missing");
        assert_refused(&tls, "client_cert=", "missing");
    }
}

TEST_WITH(without_certificates_only_the_way_of_revocation_is_set, make, scratch_remove)
{
    (void)state;
    struct error error;
    const struct client_tls tls = {.ca = NULL};
    version = "libcurl/7.88.1 Schannel";
    assert_int_equal(http_tls_check(&library, &tls, false, &error), 0);
    assert_true(http_tls_set(&library, NULL, &tls));
    assert_null(type);
    assert_int_equal(tls_options, CURLSSLOPT_REVOKE_BEST_EFFORT);
}

TEST_WITH(without_authorities_those_of_the_system_are_used, make, scratch_remove)
{
    (void)state;
    struct error error;
    const struct client_tls tls = {.ca = NULL};
    /* NULL if the machine has no trusted certificate authorities, which https: needs. */
    const char *expected = NULL;
    version = "libcurl/7.88.1 OpenSSL/3.0.15";
    int found = trusted_authorities_find(&expected, &error);
    assert_int_equal(http_tls_check(&library, &tls, true, &error), found);
    assert_true(http_tls_set(&library, NULL, &tls));
    if (expected == NULL)
        assert_null(authority);
    else
        assert_string_equal(authority, expected);
}

TEST_WITH(an_option_that_libcurl_lacks_is_a_failure, make, scratch_remove)
{
    (void)state;
    static const CURLoption options[] = {CURLOPT_CAINFO, CURLOPT_SSLCERT, CURLOPT_SSLCERTTYPE,
                                         CURLOPT_SSL_OPTIONS};
    struct client_tls tls = pem();
    version = "libcurl/7.88.1 Schannel";
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        unknown = options[i];
        assert_false(http_tls_set(&library, NULL, &tls));
    }
}
