#include "tools/top/help.h"

/* Lines of at most 80 characters, and no more of them than a terminal of 24 rows holds. */
static const char *const lines[] = {
    "",
    "Tab, BackTab     select the next part, or the one before; its heading is bold",
    "Up, Down         move its rows; PgUp, PgDn by as many as are shown; Home, End",
    "s                sort it by its next column: -COLUMN highest first, + lowest",
    "r                turn its order round",
    "z, Enter         show it alone, or all parts again",
    "?, h, q, Ctrl-C  this help; the end",
    "",
    "DGRAMS, BYTES    received; DECODED of them were read as messages",
    "REFUSED, KERNEL  dropped by the collector, by the kernel; DROPS has the reasons",
    "LOST, TWICE      of senders that number what they send: missing, come again",
    "OPEN, ACCEPTED   connections now, and ever; ANSWERS that were sent to them",
    "DENIED, BROKEN   connections that were not let in; that ended but as CLOSED",
    "RECS, WRITTEN    records that the sink's destination has, or acknowledged",
    "QUEUED           records in flight: in a queue, or sent and not acknowledged",
    "SPILLED, EVICTED records in a spill on disk; taken out of a queue for newer ones",
    "UNKNOWN          records sent, never acknowledged: the far end may have them",
    "OLDEST, INFLIGHT how long a delivery's oldest record waits; unanswered requests",
    "FAILED, ERRORS   records not written; attempts that failed, tried again or not",
    "",
    "`sluice explain REASON` says what a reason of DROPS means, and what to do.",
};

bool help_add(struct page *page, size_t rows)
{
    bool done = true;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && page->rows < rows && done; i++)
        done = page_add_line(page, PAGE_PLAIN, lines[i]);
    while (done && page->rows + 1 < rows)
        done = page_add_line(page, PAGE_PLAIN, "");
    return done &&
           (page->rows >= rows || page_add_line(page, PAGE_HEADING, "any key goes back; q quits"));
}
