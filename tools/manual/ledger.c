/* The ledger's terms and reasons, an entry each, from the ledger's own rows. */
#include <stdio.h>
#include <string.h>

#include "collector/ledger/ledger.h"
#include "tools/manual/writing.h"

static void write_entry(FILE *out, const char *name, const char *text)
{
    fprintf(out, ".TP\n.B ");
    roff_write_text(out, name, strlen(name));
    fputc('\n', out);
    roff_write_text(out, text, strlen(text));
    fputc('\n', out);
}

void roff_write_terms(FILE *out, const struct ledger_term *terms)
{
    for (; terms->name != NULL; terms++)
        write_entry(out, terms->name, terms->help);
}

void roff_write_reasons(FILE *out, const struct reason_text *reasons, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        bool remedy = reasons[i].remedy[0] != '\0';
        snprintf(text, sizeof text, "%s%s%s.", reasons[i].what, remedy ? "; " : "",
                 reasons[i].remedy);
        write_entry(out, reasons[i].name, text);
    }
}
