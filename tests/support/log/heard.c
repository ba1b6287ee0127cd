#include "tests/support/log/heard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "collector/log/log.h"

#define LINES_MOST 256
#define LINE_MOST  512

static char lines[LINES_MOST][LINE_MOST];
static _Atomic size_t begun; /* number of elements of `lines` that threads have reserved */
static _Atomic bool whole[LINES_MOST];

static bool take(enum log_level level, const char *bytes, size_t size)
{
    size_t place = atomic_fetch_add(&begun, 1);
    (void)level;
    if (place >= LINES_MOST)
        return true;
    size_t kept = size < LINE_MOST ? size : LINE_MOST - 1;
    memcpy(lines[place], bytes, kept);
    lines[place][kept] = '\0';
    atomic_store(&whole[place], true);
    return true;
}

void heard_begin(void)
{
    atomic_store(&begun, 0);
    for (size_t i = 0; i < LINES_MOST; i++)
        atomic_store(&whole[i], false);
    log_divert(take);
}

void heard_end(void)
{
    log_divert(NULL);
}

size_t heard(const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < LINES_MOST; i++)
        count += atomic_load(&whole[i]) && strstr(lines[i], text) != NULL;
    return count;
}
