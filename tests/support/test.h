/*
 * Every test program includes this header first. It includes cmocka and registers tests:
 *
 *     TEST(what_it_shows)
 *     {
 *         assert_true(...);
 *     }
 *
 * A program runs the tests of its file in their order. Its main function is in
 * tests/support/main.c, unless it has its own, which calls test_run_all.
 */
#ifndef SLUICE_TESTS_SUPPORT_TEST_H
#define SLUICE_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/platform/before_main.h"

/* A test, as an element of the list of all tests in the program. */
struct test_entry {
    struct test_entry *next;
    int line; /* line in its file, by which tests are ordered */
    const char *file;
    struct CMUnitTest test;
};

/* Adds the test to the program's list. Called before main. */
void test_register(struct test_entry *entry);

/*
 * Runs all tests. They are reported under `name`, or under the name of their file if it is NULL.
 * Returns the exit code of the program.
 */
int test_run_all(const char *name);

/*
 * Runs one test, reported under `name`. Returns the number of failures, 0 or 1, or -1 if there is
 * no such test.
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
 * The number of random inputs that a test tries. It is `count`, but half of it with a sanitizer and
 * a fifth of it under Wine, because each input takes much longer there.
 */
#define TEST_TRIES(count) ((count) / TEST_PART)

/*
 * A test with a setup and a teardown, each of which may be NULL. They must return 0. The setup may
 * set *state, which the test receives.
 */
#define TEST_WITH(function, setup, teardown)                                                       \
    static void function(void **state);                                                            \
    TEST_REGISTER(function, function, setup, teardown)                                             \
    static void function(void **state)

#endif
