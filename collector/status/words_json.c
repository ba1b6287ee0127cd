#include "collector/status/words_json.h"

#include <stddef.h>
#include <string.h>

#include "collector/health/health_words.h"
#include "collector/ledger/ledger.h"
#include "collector/text/json_writer.h"

static void words_put_key(struct output *out, const char *key)
{
    json_key(out, key, strlen(key));
}

static void put_terms(struct output *out, const struct ledger_term *terms)
{
    for (; terms->name != NULL; terms++)
        json_member_text(out, terms->name, terms->help);
}

static void put_reasons(struct output *out, const char *key, const struct reason_text *texts,
                        size_t count)
{
    words_put_key(out, key);
    json_object_begin(out);
    for (size_t i = 0; i < count; i++) {
        words_put_key(out, texts[i].name);
        json_object_begin(out);
        json_member_text(out, "what", texts[i].what);
        json_member_text(out, "remedy", texts[i].remedy);
        json_object_end(out);
    }
    json_object_end(out);
}

static void put_words(struct output *out, const char *key, const struct health_word *words,
                      size_t count)
{
    words_put_key(out, key);
    json_object_begin(out);
    for (size_t i = 0; i < count; i++)
        json_member_text(out, words[i].name, words[i].filled);
    json_object_end(out);
}

void words_json_write(struct output *out)
{
    json_object_begin(out);
    words_put_key(out, "listener");
    json_object_begin(out);
    put_terms(out, listener_terms);
    json_object_end(out);
    words_put_key(out, "sink");
    json_object_begin(out);
    put_terms(out, offer_terms);
    put_terms(out, sink_terms);
    json_object_end(out);
    words_put_key(out, "letters");
    json_object_begin(out);
    put_terms(out, dead_letter_terms);
    json_object_end(out);
    put_reasons(out, "reasons", datagram_reason_texts, REASON_COUNT);
    put_reasons(out, "refused", record_refusal_texts, REFUSAL_COUNT);
    put_reasons(out, "failed", record_failure_texts, FAILURE_COUNT);
    put_reasons(out, "dropped", dead_letter_drop_texts, DROP_COUNT);
    put_words(out, "statuses", health_statuses, HEALTH_STATUS_COUNT);
    put_words(out, "health", health_reasons, HEALTH_REASON_COUNT);
    json_object_end(out);
}
