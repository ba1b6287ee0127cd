#include <string.h>

#include "tools/manual/writing.h"

/*
 * Writes a character, escaped if roff would interpret it. A "-" becomes a minus, because that is
 * what users type.
 */
static void write_character(FILE *out, char character)
{
    switch (character) {
    case '\\':
        fputs("\\e", out);
        break;
    case '-':
        fputs("\\-", out);
        break;
    case '\'':
        fputs("\\(aq", out);
        break;
    case '`':
        fputs("\\(ga", out);
        break;
    case '^':
        fputs("\\(ha", out);
        break;
    case '~':
        fputs("\\(ti", out);
        break;
    default:
        fputc(character, out);
    }
}

void roff_write_text(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && (i == 0 || text[i - 1] == '\n'))
            fputs("\\&", out); /* otherwise roff would read a request */
        write_character(out, text[i]);
    }
}

/* --- paragraphs ------------------------------------------------------------------------------- */

static size_t paragraph_length(const char *text)
{
    const char *end = strstr(text, "\n\n");
    return end != NULL ? (size_t)(end - text) : strlen(text);
}

static bool has_indented_lines(const char *text, size_t length)
{
    const char *at = strstr(text, "\n ");
    return at != NULL && (size_t)(at - text) < length;
}

void roff_write_paragraphs(FILE *out, const char *text)
{
    for (const char *between = ""; *text != '\0'; between = ".PP\n") {
        size_t length = paragraph_length(text);
        bool as_it_is = has_indented_lines(text, length);
        fputs(between, out);
        fputs(as_it_is ? ".nf\n" : "", out);
        roff_write_text(out, text, length);
        fputs(as_it_is ? "\n.fi\n" : "\n", out);
        text += length;
        text += strspn(text, "\n");
    }
}

/* --- entries ---------------------------------------------------------------------------------- */

static bool is_capital_or_mark(char character)
{
    return (character >= 'A' && character <= 'Z') || strchr(".[]/:,-;<>*=", character) != NULL;
}

/*
 * Writes the syntax of a value. Placeholders, which are in capitals, are in italics, and other
 * words are bold. The line may be broken after a bar.
 */
static void write_syntax(FILE *out, const char *syntax)
{
    while (*syntax != '\0') {
        size_t length = strcspn(syntax, "|");
        bool placeholder = true;
        for (size_t i = 0; i < length; i++)
            placeholder = placeholder && is_capital_or_mark(syntax[i]);
        fputs(placeholder ? "\\fI" : "\\fB", out);
        roff_write_text(out, syntax, length);
        fputs("\\fR", out);
        syntax += length;
        if (*syntax != '|')
            continue;
        fputs("|\\:", out);
        syntax++;
    }
}

/*
 * Returns true if an entry's name and syntax take more than one line. They contain no blanks, so
 * roff must not adjust the line.
 */
static bool is_long(const struct entry *entry)
{
    return strlen(entry->name) + strlen(entry->syntax) > 60;
}

void roff_write_entries(FILE *out, const struct entry *entries, size_t count, const char *before,
                        const char *between)
{
    for (const struct entry *entry = entries; entry < entries + count; entry++) {
        fputs(is_long(entry) ? ".na\n.TP\n" : ".TP\n", out);
        if (entry->letter != '\0')
            fprintf(out, "\\fB\\-%c\\fR, ", entry->letter);
        fputs("\\fB", out);
        roff_write_text(out, before, strlen(before));
        roff_write_text(out, entry->name, strlen(entry->name));
        fputs("\\fR", out);
        if (entry->syntax[0] != '\0')
            fputs(between, out);
        write_syntax(out, entry->syntax);
        fputs(is_long(entry) ? "\n.ad\n" : "\n", out);
        roff_write_text(out, entry->help, strlen(entry->help));
        if (entry->default_text[0] != '\0') {
            fputs("\n(", out);
            roff_write_text(out, entry->default_text, strlen(entry->default_text));
            fputc(')', out);
        }
        fputc('\n', out);
    }
}
