#include "tools/manual/reported.h"

#include <string.h>

#include "tools/manual/writing.h"

static void write_text(FILE *out, const char *text)
{
    roff_write_text(out, text, strlen(text));
}

static void write_name(FILE *out, const struct glossary_entry *entry)
{
    fputs(".TP\n.B ", out);
    write_text(out, entry->name);
    if (entry->syntax[0] != '\0') {
        fputc('{', out);
        write_text(out, entry->syntax);
        fputc('}', out);
    }
    fputc('\n', out);
}

/*
 * Writes what an entry means, and its remedy. For a reason, both are one sentence. For any other
 * entry, they are two.
 */
static void write_meaning(FILE *out, const struct glossary_entry *entry)
{
    bool is_reason =
        entry->kind >= GLOSSARY_DATAGRAM_REASON && entry->kind <= GLOSSARY_DEAD_LETTER_DROP;
    fputs(entry->histogram ? "Histogram. " : "", out);
    write_text(out, entry->what);
    if (entry->remedy[0] != '\0') {
        fputs(is_reason ? "; " : " Remedy: ", out);
        write_text(out, entry->remedy);
    }
    fputs(is_reason || entry->remedy[0] != '\0' ? ".\n" : "\n", out);
}

void reported_write(FILE *out, const struct glossary *glossary, enum glossary_kind kind)
{
    for (size_t i = 0; i < glossary->count; i++) {
        const struct glossary_entry *entry = &glossary->entries[i];
        if (entry->kind != kind || entry->of_term)
            continue;
        write_name(out, entry);
        write_meaning(out, entry);
    }
}
