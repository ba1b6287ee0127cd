#include "collector/program/explain.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "collector/config/keys.h"
#include "collector/config/page.h"
#include "collector/glossary/glossary.h"
#include "collector/log/log.h"
#include "collector/program/registry.h"

#define TEXT_COLUMN 4

/* Size of a buffer that has room for any text of the glossary. */
#define SENTENCE_SIZE 1024

/* --- printing one entry ----------------------------------------------------------------------- */

static bool is_small(char character)
{
    return character >= 'a' && character <= 'z';
}

/* Writes a text as a sentence. The text may begin in lower case and lack its full stop. */
static void put_sentence(struct page *page, const char *before, const char *text)
{
    char sentence[SENTENCE_SIZE];
    size_t length = strlen(text);
    if (length == 0)
        return;
    snprintf(sentence, sizeof sentence, "%s%s%s", before, text, text[length - 1] == '.' ? "" : ".");
    if (is_small(sentence[0]) && (is_small(sentence[1]) || sentence[1] == ' '))
        sentence[0] = (char)(sentence[0] - 'a' + 'A');
    page_put_words(page, TEXT_COLUMN, sentence);
    page_new_line(page);
}

/*
 * Writes a name, such as "memory=SIZE", "--memory SIZE", "sluice_sink_refused_total{sink,reason}".
 */
static void explain_put_name(struct page *page, const struct glossary_entry *entry)
{
    static const struct {
        const char *before, *between, *after;
    } marks[GLOSSARY_KIND_COUNT] = {
        [GLOSSARY_OPTION] = {"--", " ", ""},
        [GLOSSARY_KEY] = {"", "=", ""},
        [GLOSSARY_METRIC] = {"", "{", "}"},
    };
    bool has_syntax = entry->syntax[0] != '\0';
    page_put(page, marks[entry->kind].before != NULL ? marks[entry->kind].before : "");
    page_put(page, entry->name);
    if (!has_syntax)
        return;
    page_put(page, marks[entry->kind].between);
    page_put(page, entry->syntax);
    page_put(page, marks[entry->kind].after);
}

/* Writes a kind, such as "a key of a udp listener, a tcp listener". */
static void explain_put_kind(struct page *page, const struct glossary_entry *entry)
{
    const char *title = glossary_kinds[entry->kind].title;
    const char *before = "of ";
    page_put(page, ":");
    page_put_words(page, 1, entry->histogram ? "a histogram" : title);
    for (unsigned scope = 1; scope != 0 && scope <= entry->scopes; scope <<= 1) {
        if ((entry->scopes & scope) == 0)
            continue;
        char words[64];
        bool last = entry->scopes < scope << 1;
        snprintf(words, sizeof words, "%s%s%s", before, key_scope_name(scope), last ? "" : ",");
        page_put_words(page, 1, words);
        before = "";
    }
    page_new_line(page);
}

static void print_entry(const struct glossary_entry *entry)
{
    struct page page = {.to = stdout};
    explain_put_name(&page, entry);
    explain_put_kind(&page, entry);
    put_sentence(&page, "", entry->what);
    put_sentence(&page, "Remedy: ", entry->remedy);
    put_sentence(&page, "", entry->default_text);
    put_sentence(&page, "See ", glossary_kinds[entry->kind].page);
}

/* --- explaining one word ---------------------------------------------------------------------- */

static void suggest(const struct glossary *glossary, const char *word)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error unknown;
    suggestion_begin(&suggestion, word, strlen(word));
    for (size_t i = 0; i < glossary->count; i++)
        suggestion_offer(&suggestion, glossary->entries[i].name);
    parse_error_set(&unknown, 0, "%s has no entry", quoted(word, strlen(word), given));
    if (suggestion_found(&suggestion) == NULL)
        parse_error_append(&unknown, "; sluice explain --list prints all words");
    parse_error_suggest(&unknown, suggestion_found(&suggestion));
    log_line(LOG_ERROR, "explain: %s", unknown.text);
}

/*
 * Prints all entries for the word, with an empty line before each entry if *printed is true. Sets
 * *printed to true if it prints one.
 */
static bool explain(const struct glossary *glossary, const char *word, bool *printed)
{
    bool found = false;
    for (size_t i = 0; i < glossary->count; i++) {
        if (!glossary_is_meant(&glossary->entries[i], word))
            continue;
        if (*printed)
            putchar('\n');
        print_entry(&glossary->entries[i]);
        *printed = found = true;
    }
    if (!found)
        suggest(glossary, word);
    return found;
}

static void print_list(const struct glossary *glossary)
{
    for (size_t i = 0; i < glossary->count; i++) {
        size_t before = 0;
        while (strcmp(glossary->entries[before].name, glossary->entries[i].name) != 0)
            before++;
        if (before == i)
            puts(glossary->entries[i].name);
    }
}

/* --- the whole command ------------------------------------------------------------------------ */

static enum exit_code explain_words(const struct glossary *glossary, int argc, char *const *argv)
{
    enum exit_code code = EXIT_CODE_OK;
    bool printed = false;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        print_list(glossary);
        return EXIT_CODE_OK;
    }
    for (int i = 1; i < argc; i++)
        if (!explain(glossary, argv[i], &printed))
            code = EXIT_CODE_USAGE;
    return code;
}

enum exit_code explain_command(int argc, char *const *argv)
{
    if (argc < 2) {
        log_line(LOG_ERROR, "explain: write sluice explain WORD...");
        return EXIT_CODE_USAGE;
    }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        puts("Usage: sluice explain WORD...\n"
             "       sluice explain --list\n"
             "Explains each WORD, with a remedy: a reason or a term of the ledger, a metric, a\n"
             "word of the health, a key, an option or an exit code. --list prints all words. A\n"
             "WORD without an entry is reported with the nearest one that has: exit code 64.");
        return EXIT_CODE_OK;
    }
    struct glossary *glossary = glossary_create(&program_registry);
    if (glossary == NULL) {
        log_line(LOG_ERROR, "explain: out of memory");
        return EXIT_CODE_INTERNAL;
    }
    enum exit_code code = explain_words(glossary, argc, argv);
    glossary_destroy(glossary);
    return code;
}
