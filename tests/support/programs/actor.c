/*
 * A program that carries out its arguments one after the other, for tests of code that starts
 * programs. It uses no shell, and is the same on every system:
 *
 *     out:TEXT err:TEXT  writes the text; errline:TEXT adds the end of a line
 *     nul                writes a zero byte
 *     outzeros:N errzeros:N  writes N zero bytes
 *     cat                copies its input to its output, to the end
 *     drain              reads its input to the end
 *     read:N             reads exactly N bytes
 *     count:PATH         reads to the end and writes the number of bytes to a new file
 *     row:PATH           as count, but stops at the first byte that differs from the series
 *                        0, 1, ... 250, 0, 1, ...
 *     close              closes its input
 *     await:PATH         waits until this file exists
 *     spawn:WORDS        starts itself with the words, separated by spaces, and does not wait for
 *                        it
 *     sleep              sleeps longer than any test takes
 *     exit:N             exits with this code
 *     args WORD...       writes each word with a | after it
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/programs/actor_system.h"

static void put_zeros(FILE *to, long count)
{
    while (count-- > 0)
        putc(0, to);
}

static void read_bytes(long count)
{
    while (count-- > 0 && getchar() != EOF)
        continue;
}

static void read_to_end(FILE *copy)
{
    for (int byte; (byte = getchar()) != EOF;)
        if (copy != NULL)
            putc(byte, copy);
}

/*
 * Writes the number to a file under another name, and then renames the file. So a test that waits
 * for the file never reads only a part of the number.
 */
static void put_count(const char *path, size_t count)
{
    char before[1024];
    snprintf(before, sizeof before, "%s~", path);
    FILE *file = fopen(before, "wb");
    if (file == NULL || fprintf(file, "%zu", count) < 0 || fclose(file) != 0 ||
        rename(before, path) != 0)
        exit(97);
}

static void count_bytes(const char *path)
{
    char bytes[4096];
    size_t count = 0;
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, stdin)) != 0;)
        count += got;
    put_count(path, count);
}

/*
 * Counts bytes that continue the series 0, 1, ... 250. Reads in small steps, so that the writer can
 * take back unread bytes between two steps.
 */
static void count_row(const char *path)
{
    unsigned char bytes[100];
    size_t count = 0;
    bool whole = true;
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, stdin)) != 0;)
        for (size_t i = 0; i < got; i++) {
            whole = whole && bytes[i] == count % 251;
            count += whole;
        }
    put_count(path, count);
}

static void await_file(const char *path)
{
    FILE *file;
    while ((file = fopen(path, "rb")) == NULL)
        actor_pause();
    fclose(file);
}

/* Returns the text after "WORD:", or NULL if the action is not `word`. */
static const char *after(const char *word, const char *action)
{
    size_t length = strlen(word);
    return strncmp(action, word, length) == 0 && action[length] == ':' ? action + length + 1 : NULL;
}

static int act_plain(const char *action)
{
    if (strcmp(action, "nul") == 0)
        putchar(0);
    else if (strcmp(action, "cat") == 0)
        read_to_end(stdout);
    else if (strcmp(action, "drain") == 0)
        read_to_end(NULL);
    else if (strcmp(action, "close") == 0)
        fclose(stdin);
    else if (strcmp(action, "sleep") == 0)
        actor_sleep();
    else
        return -1;
    return 0;
}

static int act(const char *program, const char *action)
{
    const char *value;
    if ((value = after("out", action)) != NULL)
        fputs(value, stdout);
    else if ((value = after("err", action)) != NULL)
        fputs(value, stderr);
    else if ((value = after("errline", action)) != NULL)
        fprintf(stderr, "%s\n", value);
    else if ((value = after("outzeros", action)) != NULL)
        put_zeros(stdout, strtol(value, NULL, 10));
    else if ((value = after("errzeros", action)) != NULL)
        put_zeros(stderr, strtol(value, NULL, 10));
    else if ((value = after("read", action)) != NULL)
        read_bytes(strtol(value, NULL, 10));
    else if ((value = after("count", action)) != NULL)
        count_bytes(value);
    else if ((value = after("row", action)) != NULL)
        count_row(value);
    else if ((value = after("await", action)) != NULL)
        await_file(value);
    else if ((value = after("spawn", action)) != NULL)
        actor_start_beside(program, value);
    else if ((value = after("exit", action)) != NULL)
        exit((int)strtol(value, NULL, 10));
    else if (act_plain(action) != 0)
        return -1;
    fflush(stdout);
    fflush(stderr);
    return 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdin, NULL, _IONBF, 0);
    actor_begin();
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "args") == 0) {
            while (++i < argc)
                printf("%s|", argv[i]);
        } else if (act(argv[0], argv[i]) != 0) {
            fprintf(stderr, "actor: what is %s?\n", argv[i]);
            return 99;
        }
    }
    return 0;
}
