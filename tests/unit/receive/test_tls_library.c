/* Tests the errors of a machine that has no OpenSSL, or an unusable one. */
#include "collector/platform/shared_library.h"
#include "collector/receive/channel_tls.h"
#include "tests/support/test.h"

void *__wrap_shared_library_load(const char *name, struct error *error);
bool __wrap_shared_library_find(void *library, const char *function, void *pointer,
                                struct error *error);

static bool there;

void *__wrap_shared_library_load(const char *name, struct error *error)
{
    static int library;
    if (there)
        return &library;
    error_set(error, EXIT_CODE_CONFIG, "%s: no such file", name);
    return NULL;
}

bool __wrap_shared_library_find(void *library, const char *function, void *pointer,
                                struct error *error)
{
    (void)library;
    (void)pointer;
    error_set(error, EXIT_CODE_CONFIG, "no such function: %s", function);
    return false;
}

static void expect_refused(const char *why)
{
    struct error error = {.text = ""};
    struct channel_kind kind = {0};
    const struct channel_tls_options options = {.cert = "cert", .key = "key", .connections = 1};
    assert_int_equal(tls_channels->load(&error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
    error.text[0] = '\0';
    assert_int_equal(tls_channels->make_kind(&options, &kind, &error), -1);
    assert_null(kind.ops);
    assert_string_equal(error.text, why);
    assert_string_equal(tls_channels->library(), "OpenSSL (not on this system)");
}

TEST(without_the_library_tls_is_refused_with_the_reason)
{
    there = false;
    expect_refused("tls=on and dtls: this machine has no usable OpenSSL: " SLUICE_LOADED_OPENSSL
                   ": no such file; on Debian: apt install " SLUICE_LOADED_OPENSSL_PACKAGE);
}

TEST(a_library_without_a_function_is_refused)
{
    there = true;
    expect_refused("tls=on and dtls: this machine has no usable OpenSSL: "
                   "no such function: OpenSSL_version");
}
