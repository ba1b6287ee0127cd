/* A system without libmicrohttpd, or with an unusable one. */
#include <string.h>

#include "collector/metrics/metrics_server.h"
#include "collector/platform/shared_library.h"
#include "tests/support/test.h"

/* The linker puts these in the place of the real ones (CMakeLists.txt). */
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
    struct metrics_server *server = NULL;
    const struct metrics_server_options options = {.version = "1"};
    assert_false(metrics_service->load(&error));
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
    error.text[0] = '\0';
    assert_int_equal(metrics_service->create(&server, &options, &error), -1);
    assert_null(server);
    assert_string_equal(error.text, why);
    assert_string_equal(metrics_service->library(), "libmicrohttpd (not on this system)");
}

TEST(without_the_library_metrics_are_refused_with_the_reason)
{
    there = false;
    expect_refused("--metrics: this machine has no usable libmicrohttpd: "
                   "libmicrohttpd.so.12: no such file; on Debian: apt install libmicrohttpd12");
}

TEST(a_library_that_lacks_a_function_is_refused_the_same)
{
    there = true;
    expect_refused("--metrics: this machine has no usable libmicrohttpd: "
                   "no such function: MHD_get_version");
}
