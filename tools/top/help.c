#include "tools/top/help.h"

/* The lines have at most 80 characters, and all of them fit on a terminal of 24 rows. */
static const char *const lines[] = {
    "",
    "Tab, BackTab     select the next or the previous part; its heading is bold",
    "Up, Down         scroll its rows; PgUp, PgDn by a page; Home, End",
    "s                sort it by the next column: -COLUMN highest first, + lowest",
    "r                reverse its order",
    "z, Enter         show only this part, or all parts again",
    "?, h, q, Ctrl-C  help; quit",
    "",
    "DGRAMS, BYTES    received; DECODED: of them, decoded as messages",
    "REFUSED, KERNEL  dropped by the collector, by the kernel; DROPS has the reasons",
    "LOST, TWICE      of senders that number datagrams: missing, duplicated",
    "OPEN, ACCEPTED   connections now, and in all; ANSWERS sent to them",
    "DENIED, BROKEN   connections refused; ended in another way than CLOSED",
    "RECS, WRITTEN    records that the sink's destination has, or acknowledged",
    "FILL             used part of what its queue can take: 100% refuses records",
    "QUEUED           records in flight: in a queue, or sent and not acknowledged",
    "SPILLED, EVICTED records in a spill on disk; removed from a queue for newer ones",
    "UNKNOWN          records sent, never acknowledged: the far end may have them",
    "OLDEST, INFLIGHT age of a delivery's oldest record; unanswered requests",
    "FAILED, ERRORS   records not written; failed attempts, retried or not",
    "",
    "`sluice explain REASON` explains a reason of DROPS, with a remedy.",
};

bool help_add(struct page *page, size_t rows)
{
    bool done = true;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0] && page->rows < rows && done; i++)
        done = page_add_line(page, PAGE_PLAIN, lines[i]);
    while (done && page->rows + 1 < rows)
        done = page_add_line(page, PAGE_PLAIN, "");
    return done &&
           (page->rows >= rows || page_add_line(page, PAGE_HEADING, "any key returns; q quits"));
}
