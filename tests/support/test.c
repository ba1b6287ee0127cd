#include "tests/support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/left_out.h"

static struct test_entry *entries; /* sorted by line */

void test_register(struct test_entry *entry)
{
    struct test_entry **link = &entries;
    while (*link != NULL && (*link)->line < entry->line)
        link = &(*link)->next;
    entry->next = *link;
    *link = entry;
}

/*
 * Writes the name of a test's file without its folder and ending: "test_glob" for
 * "/.../tests/unit/text/test_glob.c".
 */
static void name_of_file(const char *path, char *name, size_t size)
{
    const char *base = path;
    for (const char *at = path; *at != '\0'; at++)
        if (*at == '/' || *at == '\\')
            base = at + 1;
    snprintf(name, size, "%.*s", (int)strcspn(base, "."), base);
}

static void leave_out(void **unused)
{
    (void)unused;
    skip();
}

static struct CMUnitTest chosen(const char *name, const struct test_entry *entry)
{
    struct CMUnitTest test = entry->test;
    if (left_out(name, test.name)) {
        test.test_func = leave_out;
        test.setup_func = NULL;
        test.teardown_func = NULL;
    }
    return test;
}

int test_run_all(const char *name)
{
    char of_file[128];
    size_t count = 0;
    for (const struct test_entry *entry = entries; entry != NULL; entry = entry->next)
        count++;
    struct CMUnitTest *tests = calloc(count + 1, sizeof *tests);
    if (tests == NULL || count == 0) {
        fprintf(stderr, "there are no tests, or there is no memory for them\n");
        free(tests);
        return EXIT_FAILURE;
    }
    size_t at = 0;
    name_of_file(entries->file, of_file, sizeof of_file);
    for (const struct test_entry *entry = entries; entry != NULL; entry = entry->next)
        tests[at++] = chosen(of_file, entry);
    int failed = _cmocka_run_group_tests(name != NULL ? name : of_file, tests, count, NULL, NULL);
    free(tests);
    return failed;
}

int test_run_one(const char *name, const char *test)
{
    const struct test_entry *entry = entries;
    while (entry != NULL && strcmp(entry->test.name, test) != 0)
        entry = entry->next;
    if (entry == NULL)
        return -1;
    return _cmocka_run_group_tests(name, &entry->test, 1, NULL, NULL);
}
