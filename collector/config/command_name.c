#include "collector/config/command_name.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Words that may precede the program in a command line. */
static const char *const openers[] = {"exec", "env", "nohup", "command"};

struct word {
    const char *at;
    size_t length;
};

static bool ends_word(char c)
{
    return strchr(" \t\r\n;|&<>()", c) != NULL; /* also true for NUL */
}

static struct word next_word(const char **at, const char *end)
{
    char quote = '\0';
    while (*at != end && ends_word(**at))
        ++*at;
    struct word word = {.at = *at};
    for (; *at != end && (quote != '\0' || !ends_word(**at)); ++*at) {
        if (quote == '\0' && (**at == '"' || **at == '\''))
            quote = **at;
        else if (**at == quote)
            quote = '\0';
        else if (**at == '\\' && quote != '\'' && *at + 1 != end)
            ++*at;
    }
    word.length = (size_t)(*at - word.at);
    return word;
}

static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_assignment(struct word word)
{
    size_t length = 0;
    while (length < word.length && is_of_name(word.at[length]))
        length++;
    return length != 0 && length < word.length && word.at[length] == '=';
}

static bool is_opener(struct word word)
{
    for (size_t i = 0; i < sizeof openers / sizeof *openers; i++)
        if (strlen(openers[i]) == word.length && memcmp(openers[i], word.at, word.length) == 0)
            return true;
    return false;
}

static struct word last_part(struct word path)
{
    for (size_t i = path.length; i != 0; i--)
        if (path.at[i - 1] == '/' || path.at[i - 1] == '\\')
            return (struct word){path.at + i, path.length - i};
    return path;
}

static bool is_plain_word(struct word word)
{
    for (size_t i = 0; i < word.length; i++)
        if (!is_of_name(word.at[i]) && strchr(".+-", word.at[i]) == NULL)
            return false;
    return word.length != 0 && word.length < COMMAND_NAME_SIZE;
}

void command_name(const char *line, size_t length, char name[COMMAND_NAME_SIZE])
{
    const char *end = line + length;
    struct word word;
    do {
        word = next_word(&line, end);
    } while (word.length != 0 && (is_assignment(word) || is_opener(word)));
    word = last_part(word);
    if (is_plain_word(word))
        snprintf(name, COMMAND_NAME_SIZE, "%.*s", (int)word.length, word.at);
    else
        snprintf(name, COMMAND_NAME_SIZE, "shell");
}
