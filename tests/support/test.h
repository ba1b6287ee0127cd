/*
 * Every test program includes this first: cmocka, and tests that register
 * themselves.
 *
 *     TEST(what_it_shows)
 *     {
 *         assert_true(...);
 *     }
 *
 * A program has the tests of its file, in their order,
 * and the main function of tests/support/main.c. A program that has a main of
 * its own calls test_run_all.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEST_H
#define SLUICE_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/platform/before_main.h"

/* A test of the program; an element of a list. */
struct test_entry {
    struct test_entry *next;
    int line; /* line in its file, by which tests are ordered */
    const char *file;
    struct CMUnitTest test;
};

/* Called before main: adds the test to the program's list. */
void test_register(struct test_entry *entry);

/*
 * Runs all tests under this name, or, if it is NULL, under the name of their file. Returns main's
 * result.
 */
int test_run_all(const char *name);

/*
 * Runs the test `test` under `name`. Returns the number of failures, 0 or 1; -1: there is no such
 * test.
 */
int test_run_one(const char *name, const char *test);

#define TEST_REGISTER(function, call, setup, teardown)                                             \
    TEST_BEFORE_MAIN(function##_register)                                                          \
    {                                                                                              \
        static struct test_entry entry = {                                                         \
            .line = __LINE__,                                                                      \
            .file = __FILE__,                                                                      \
            .test = {#function, call, setup, teardown, NULL},                                      \
        };                                                                                         \
        test_register(&entry);                                                                     \
    }

/* A test without setup and teardown. */
#define TEST(function)                                                                             \
    static void function(void);                                                                    \
    static void function##_called(void **unused)                                                   \
    {                                                                                              \
        (void)unused;                                                                              \
        function();                                                                                \
    }                                                                                              \
    TEST_REGISTER(function, function##_called, NULL, NULL)                                         \
    static void function(void)

/*
 * The number of random inputs that a test tries: half of `count` with a sanitizer, and a fifth
 * under Wine, where each takes several times longer.
 */
#define TEST_TRIES(count) ((count) / TEST_PART)

/*
 * A test with a setup and a teardown, each of which may be NULL. They must return 0. The test gets
 * in *state what the setup put there.
 */
#define TEST_WITH(function, setup, teardown)                                                       \
    static void function(void **state);                                                            \
    TEST_REGISTER(function, function, setup, teardown)                                             \
    static void function(void **state)

#endif
