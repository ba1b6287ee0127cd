#include "tests/support/left_out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 400
#define WHY       "why: "

/*
 * Returns true if the line names this test. A line is "PROGRAM TEST", or "PROGRAM TEST MACHINE" if
 * it is only for one machine. "*" in place of TEST names all tests of the program.
 */
static bool names(char *line, const char *name, const char *test)
{
    const char *first = strtok(line, " ");
    const char *second = strtok(NULL, " ");
    const char *machine = strtok(NULL, " ");
    return first != NULL && second != NULL && strcmp(first, name) == 0 &&
           (strcmp(second, "*") == 0 || strcmp(second, test) == 0) &&
           (machine == NULL || strcmp(machine, TEST_MACHINE) == 0);
}

static bool look_up(FILE *table, const char *name, const char *test, char reason[LINE_SIZE])
{
    char line[LINE_SIZE];
    while (fgets(line, sizeof line, table) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, WHY, strlen(WHY)) == 0)
            snprintf(reason, LINE_SIZE, "%s", line + strlen(WHY));
        else if (line[0] != '#' && names(line, name, test))
            return true;
    }
    return false;
}

bool left_out(const char *name, const char *test)
{
    char reason[LINE_SIZE] = "";
    if (strcmp(TEST_LEFT_OUT, "") == 0)
        return false;
    FILE *table = fopen(TEST_LEFT_OUT, "r");
    if (table == NULL) {
        fprintf(stderr, "cannot read %s\n", TEST_LEFT_OUT);
        exit(EXIT_FAILURE);
    }
    bool found = look_up(table, name, test, reason);
    fclose(table);
    if (found) {
        printf("skipped %s (%s): %s\n", test, name, reason);
        fflush(stdout);
    }
    return found;
}
