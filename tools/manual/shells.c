#include <string.h>

#include "tools/manual/writing.h"

static const char *offer_name(enum entry_offer offer)
{
    static const char *const names[] = {
        [OFFER_NOTHING] = "none",      [OFFER_FILE] = "file", [OFFER_FOLDER] = "folder",
        [OFFER_LISTENER] = "listener", [OFFER_SINK] = "sink", [OFFER_LETTERS] = "letters",
    };
    return names[offer];
}

static size_t summary_length(const char *help)
{
    size_t length = strcspn(help, ";");
    const char *bracket = strstr(help, " (");
    return bracket != NULL && (size_t)(bracket - help) < length ? (size_t)(bracket - help) : length;
}

/*
 * Writes the first words of a help text inside of '...'. A shell cannot have a ' there, so the
 * quotes are closed and opened again around it.
 */
static void write_summary(FILE *out, const char *help, const char *escaped)
{
    size_t length = summary_length(help);
    for (size_t i = 0; i < length; i++) {
        if (help[i] == '\'')
            fputs("'\\''", out);
        else if (help[i] == '\n')
            fputc(' ', out);
        else if (strchr(escaped, help[i]) != NULL)
            fprintf(out, "\\%c", help[i]);
        else
            fputc(help[i], out);
    }
}

void shell_write_keys(FILE *out, const struct entry *entries, size_t count)
{
    for (const struct entry *entry = entries; entry < entries + count; entry++)
        fprintf(out, "%s=%s\n", entry->name, entry->values);
}

void bash_write_options(FILE *out, const struct entry *entries, size_t count)
{
    for (const struct entry *entry = entries; entry < entries + count; entry++)
        if (entry->syntax[0] == '\0')
            fprintf(out, "--%s\n", entry->name);
        else
            fprintf(out, "--%s=%s:%s\n", entry->name, offer_name(entry->offer), entry->values);
}

static void write_zsh_action(FILE *out, const struct entry *entry)
{
    switch (entry->offer) {
    case OFFER_FILE:
        fputs("_files", out);
        break;
    case OFFER_FOLDER:
        fputs("_files -/", out);
        break;
    case OFFER_LISTENER:
    case OFFER_SINK:
    case OFFER_LETTERS:
        fprintf(out, "_sluice_%s", offer_name(entry->offer));
        break;
    case OFFER_NOTHING:
        fputs(entry->values[0] != '\0' ? "(" : " ", out);
        for (const char *at = entry->values; *at != '\0'; at++)
            fputc(*at == '|' ? ' ' : *at, out);
        fputs(entry->values[0] != '\0' ? ")" : "", out);
        break;
    }
}

void zsh_write_options(FILE *out, const struct entry *entries, size_t count)
{
    for (const struct entry *entry = entries; entry < entries + count; entry++) {
        fprintf(out, "'%s--%s%s[", entry->repeats ? "*" : "", entry->name,
                entry->syntax[0] != '\0' ? "=" : "");
        write_summary(out, entry->help, "[]:\\");
        fputc(']', out);
        if (entry->syntax[0] != '\0') {
            fputs(":value:", out);
            write_zsh_action(out, entry);
        }
        fputs("'\n", out);
    }
}

void fish_write_options(FILE *out, const char *program, const struct entry *entries, size_t count)
{
    for (const struct entry *entry = entries; entry < entries + count; entry++) {
        fprintf(out, "complete -c %s -l %s -d '", program, entry->name);
        write_summary(out, entry->help, "\\");
        fputc('\'', out);
        if (entry->syntax[0] == '\0') {
            fputc('\n', out);
            continue;
        }
        if (entry->offer == OFFER_FILE || entry->offer == OFFER_FOLDER)
            fputs(" -r -F", out);
        else
            fputs(" -x", out);
        if (entry->offer >= OFFER_LISTENER)
            fprintf(out, " -a '(__sluice_%s)'", offer_name(entry->offer));
        for (const char *at = entry->values; *at != '\0'; at++)
            if (at == entry->values)
                fprintf(out, " -a '%c", *at);
            else
                fputc(*at == '|' ? ' ' : *at, out);
        fputs(entry->values[0] != '\0' ? "'\n" : "\n", out);
    }
}
