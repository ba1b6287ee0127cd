/* Tests the errors of a machine that has no libsodium, or an unusable one. */
#include <stdio.h>

#include "collector/framing/sealed.h"
#include "collector/platform/shared_library.h"
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
    assert_int_equal(sealed_load(&error), -1);
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_string_equal(error.text, why);
    assert_string_equal(sealed_library_version(), "libsodium (not on this system)");
}

/* A build for another system does not know the package, so the error then names none. */
TEST(without_the_library_sealed_datagrams_are_refused_with_the_packages_name)
{
    char why[256];
    const char *package = SLUICE_LOADED_SODIUM_PACKAGE;
    snprintf(why, sizeof why,
             "sealed datagrams: this machine has no usable libsodium: %s: no such file%s%s",
             SLUICE_LOADED_SODIUM, package[0] == '\0' ? "" : "; on Debian: apt install ", package);
    there = false;
    expect_refused(why);
}

TEST(a_library_without_a_function_is_refused)
{
    there = true;
    expect_refused("sealed datagrams: this machine has no usable libsodium: "
                   "no such function: sodium_init");
}
