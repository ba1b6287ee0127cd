#include "collector/ledger/ledger_terms.h"

#include <stddef.h>

#include "collector/ledger/ledger.h"

#define REASON_NAME(constant, name, letter, what, remedy)   #name,
#define REASON_LETTER(constant, name, letter, what, remedy) letter,
#define REASON_TEXT(constant, name, letter, what, remedy)   {#name, what, remedy},
#define OTHER_NAME(constant, name, what, remedy)            #name,
#define OTHER_TEXT(constant, name, what, remedy)            {#name, what, remedy},

const char *const datagram_reason_names[] = {DATAGRAM_REASONS(REASON_NAME)};
const bool datagram_reason_has_letter[] = {DATAGRAM_REASONS(REASON_LETTER)};
const char *const record_refusal_names[] = {RECORD_REFUSALS(OTHER_NAME)};
const char *const record_failure_names[] = {RECORD_FAILURES(OTHER_NAME)};
const char *const dead_letter_drop_names[] = {DEAD_LETTER_DROPS(OTHER_NAME)};

const struct reason_text datagram_reason_texts[] = {DATAGRAM_REASONS(REASON_TEXT)};
const struct reason_text record_refusal_texts[] = {RECORD_REFUSALS(OTHER_TEXT)};
const struct reason_text record_failure_texts[] = {RECORD_FAILURES(OTHER_TEXT)};
const struct reason_text dead_letter_drop_texts[] = {DEAD_LETTER_DROPS(OTHER_TEXT)};

#define TERM_ROW(counters, totals, name, part, help, remedy)                                       \
    {#name, offsetof(struct counters, name), offsetof(struct totals, name), part, help, remedy},
#define LISTENER_ROW(name, part, help, remedy)                                                     \
    TERM_ROW(ingest_counters, listener_totals, name, part, help, remedy)
#define OFFER_ROW(name, part, help, remedy)                                                        \
    TERM_ROW(offer_counters, sink_totals, name, part, help, remedy)
#define SINK_ROW(name, part, help, remedy)                                                         \
    TERM_ROW(sink_counters, sink_totals, name, part, help, remedy)
#define LETTER_ROW(name, part, help, remedy)                                                       \
    TERM_ROW(dead_letter_counters, dead_letter_totals, name, part, help, remedy)

const struct ledger_term listener_terms[] = {LISTENER_TERMS(LISTENER_ROW){.name = NULL}};
const struct ledger_term offer_terms[] = {OFFER_TERMS(OFFER_ROW){.name = NULL}};
const struct ledger_term sink_terms[] = {SINK_TERMS(SINK_ROW){.name = NULL}};
const struct ledger_term dead_letter_terms[] = {DEAD_LETTER_TERMS(LETTER_ROW){.name = NULL}};

#define MEASURE_ROW(counters, totals, name, bounds, metric, help, remedy)                          \
    {#name, offsetof(struct counters, name), offsetof(struct totals, name), bounds, #metric, help, \
     remedy},
#define THREAD_MEASURE(name, bounds, metric, help, remedy)                                         \
    MEASURE_ROW(thread_measures, thread_totals, name, bounds, metric, help, remedy)
#define SINK_MEASURE(name, bounds, metric, help, remedy)                                           \
    MEASURE_ROW(sink_counters, sink_totals, name, bounds, metric, help, remedy)

const struct ledger_measure thread_measures[] = {THREAD_MEASURES(THREAD_MEASURE){.name = NULL}};
const struct ledger_measure sink_measures[] = {SINK_MEASURES(SINK_MEASURE){.name = NULL}};

/* Every term and measure has a text that says what to do. */
#define HAS_REMEDY(text)                                  _Static_assert(sizeof(text) > 1, "a row without what to do")
#define TERM_CHECK(name, part, help, remedy)              HAS_REMEDY(remedy);
#define MEASURE_CHECK(name, bounds, metric, help, remedy) HAS_REMEDY(remedy);
LISTENER_TERMS(TERM_CHECK)
OFFER_TERMS(TERM_CHECK)
SINK_TERMS(TERM_CHECK)
DEAD_LETTER_TERMS(TERM_CHECK)
THREAD_MEASURES(MEASURE_CHECK)
SINK_MEASURES(MEASURE_CHECK)

#define KIND_ROW(constant, name, is_socket, part) {#name, is_socket, part},
const struct listener_kind listener_kinds[] = {LISTENER_KINDS(KIND_ROW)};
