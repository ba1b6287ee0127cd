#include "proto/source/proto_head.h"

#include <string.h>

/* A part of the text: a name, a text in quotation marks, another character, or the end. */
enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_TEXT, TOKEN_CHARACTER };

struct token {
    enum token_kind kind;
    const char *at; /* of a text, without its quotation marks */
    size_t size;
    size_t line;
};

struct scanner {
    const char *at, *end;
    size_t line;
    struct token token; /* the present one */
};

static bool is_name_character(char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_';
}

static bool begins(const struct scanner *scanner, const char *with)
{
    size_t length = strlen(with);
    return (size_t)(scanner->end - scanner->at) >= length && memcmp(scanner->at, with, length) == 0;
}

static void step(struct scanner *scanner)
{
    scanner->line += *scanner->at == '\n';
    scanner->at++;
}

static void skip_until(struct scanner *scanner, const char *end)
{
    while (scanner->at != scanner->end && !begins(scanner, end))
        step(scanner);
    for (size_t i = strlen(end); i != 0 && scanner->at != scanner->end; i--)
        step(scanner);
}

static void skip_blanks(struct scanner *scanner)
{
    while (scanner->at != scanner->end) {
        if (begins(scanner, "//"))
            skip_until(scanner, "\n");
        else if (begins(scanner, "/*"))
            skip_until(scanner, "*/");
        else if (memchr(" \t\r\n\v\f", *scanner->at, 6) != NULL)
            step(scanner);
        else
            return;
    }
}

/* Reads a text up to its closing mark. Escapes are not decoded. */
static void read_text(struct scanner *scanner)
{
    char mark = *scanner->at++;
    const char *begin = scanner->at;
    while (scanner->at != scanner->end && *scanner->at != mark && *scanner->at != '\n')
        scanner->at += *scanner->at == '\\' && scanner->end - scanner->at > 1 ? 2 : 1;
    scanner->token.at = begin;
    scanner->token.size = (size_t)(scanner->at - begin);
    scanner->token.kind = TOKEN_TEXT;
    if (scanner->at != scanner->end && *scanner->at == mark)
        scanner->at++;
}

static void next(struct scanner *scanner)
{
    skip_blanks(scanner);
    scanner->token = (struct token){TOKEN_END, scanner->at, 0, scanner->line};
    if (scanner->at == scanner->end)
        return;
    if (*scanner->at == '"' || *scanner->at == '\'') {
        read_text(scanner);
        return;
    }
    scanner->token.kind = is_name_character(*scanner->at) ? TOKEN_NAME : TOKEN_CHARACTER;
    do
        scanner->at++;
    while (scanner->token.kind == TOKEN_NAME && scanner->at != scanner->end &&
           is_name_character(*scanner->at));
    scanner->token.size = (size_t)(scanner->at - scanner->token.at);
}

static bool is(const struct token *token, enum token_kind kind, const char *text)
{
    return token->kind == kind && token->size == strlen(text) &&
           memcmp(token->at, text, token->size) == 0;
}

static bool read_import(struct scanner *scanner, struct growing_arena *memory,
                        struct proto_import ***end)
{
    next(scanner);
    if (scanner->token.kind == TOKEN_NAME) /* public, weak or option */
        next(scanner);
    if (scanner->token.kind != TOKEN_TEXT)
        return true;
    struct proto_import *added = growing_arena_allocate(memory, 1, sizeof *added);
    char *name = growing_arena_text(memory, scanner->token.at, scanner->token.size);
    if (added == NULL || name == NULL)
        return false;
    added->name = name;
    **end = added;
    *end = &added->next;
    return true;
}

static void read_edition(struct scanner *scanner, struct proto_head *head)
{
    size_t line = scanner->token.line;
    next(scanner);
    if (!is(&scanner->token, TOKEN_CHARACTER, "="))
        return;
    next(scanner);
    if (scanner->token.kind != TOKEN_TEXT)
        return;
    size_t size = scanner->token.size;
    if (size >= sizeof head->edition)
        size = sizeof head->edition - 1;
    memcpy(head->edition, scanner->token.at, size);
    head->edition[size] = '\0';
    head->edition_line = line;
}

bool proto_head_read(const char *text, size_t size, struct growing_arena *memory,
                     struct proto_head *head)
{
    struct scanner scanner = {.at = text, .end = text + size, .line = 1};
    struct proto_import **end = &head->imports;
    size_t depth = 0;
    bool begins_statement = true;
    *head = (struct proto_head){0};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* a byte order mark */
        scanner.at += 3;
    for (next(&scanner); scanner.token.kind != TOKEN_END; next(&scanner)) {
        if (begins_statement && depth == 0 && is(&scanner.token, TOKEN_NAME, "import")) {
            if (!read_import(&scanner, memory, &end))
                return false;
        } else if (begins_statement && depth == 0 && is(&scanner.token, TOKEN_NAME, "edition")) {
            read_edition(&scanner, head);
        }
        if (is(&scanner.token, TOKEN_CHARACTER, "{"))
            depth++;
        else if (is(&scanner.token, TOKEN_CHARACTER, "}"))
            depth -= depth != 0;
        begins_statement =
            scanner.token.kind == TOKEN_CHARACTER && memchr(";{}", *scanner.token.at, 3) != NULL;
    }
    return true;
}
