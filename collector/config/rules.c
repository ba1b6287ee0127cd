#include "collector/config/rules.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/config/units.h"
#include "collector/contract/encoder.h"
#include "collector/text/glob.h"
#include "collector/text/label_template.h"
#include "collector/text/text.h"

/* --- lists ------------------------------------------------------------------------------------ */

struct reading {
    const char *name; /* name of the key */
    const char *text; /* copy of the value, inside the list */
    size_t length;
    size_t at; /* offset of the next part; beyond the end of the text: no more parts */
    struct parse_error *fault;
};

static struct reading rules_begin(const char *name, char *copy, const char *text, size_t length,
                                  struct parse_error *fault)
{
    memcpy(copy, text, length);
    copy[length] = '\0';
    return (struct reading){.name = name, .text = copy, .length = length, .fault = fault};
}

static bool next_part(struct reading *reading, const char *separators, struct text *part,
                      char *separator)
{
    if (reading->at > reading->length)
        return false;
    part->data = reading->text + reading->at;
    part->size = strcspn(part->data, separators);
    *separator = part->data[part->size];
    reading->at += part->size + 1;
    return true;
}

static size_t place(const struct reading *reading, const struct text *part)
{
    return (size_t)(part->data - reading->text);
}

static bool too_many(const struct reading *reading, const struct text *part)
{
    return parse_error_set(reading->fault, place(reading, part), "%s has more than %d parts",
                           reading->name, SAMPLE_LIST_MAX);
}

/* Refuses wildcards in names that are compared literally. */
static bool check_literal(const struct reading *reading, const struct text *part)
{
    char given[QUOTED_SIZE];
    if (!glob_is_one(part))
        return true;
    return parse_error_set(reading->fault, place(reading, part),
                           "%s compares %s literally: \"*\" and \"?\" are not allowed",
                           reading->name, quoted(part->data, part->size, given));
}

/*
 * Allocates a zeroed list with room for its text at the end. rules_finish stores it in the caller's
 * field, or frees it on failure.
 */
static void *rules_allocate(size_t size, size_t length, struct parse_error *fault)
{
    void *made = calloc(1, size + length + 1);
    if (made == NULL)
        parse_error_no_memory(fault);
    return made;
}

static bool rules_finish(void *made, bool good, void *field)
{
    if (good)
        memcpy(field, &made, sizeof made); /* memcpy works for a field of any pointer type */
    else
        free(made);
    return good;
}

/* --- include and exclude ---------------------------------------------------------------------- */

static bool read_term(const struct reading *reading, const struct text *part,
                      struct sample_conditions *conditions)
{
    if (part->size == 0)
        return parse_error_set(reading->fault, place(reading, part), "%s: a glob is missing here",
                               reading->name);
    if (conditions->term_count == SAMPLE_LIST_MAX)
        return too_many(reading, part);
    struct sample_term *term = &conditions->terms[conditions->term_count];
    term->glob = *part;
    const char *equals = memchr(part->data, '=', part->size);
    if (equals != NULL) {
        term->key = (struct text){part->data, (size_t)(equals - part->data)};
        term->glob = (struct text){equals + 1, part->size - term->key.size - 1};
        if (term->key.size == 0)
            return parse_error_set(reading->fault, place(reading, part),
                                   "%s: a label's key is missing before \"=\"", reading->name);
        if (!check_literal(reading, &term->key))
            return false;
        conditions->of_labels |= UINT64_C(1) << conditions->term_count;
    }
    conditions->alternatives[conditions->alternative_count] |= UINT64_C(1)
                                                               << conditions->term_count++;
    return true;
}

static bool read_conditions(struct reading *reading, struct sample_conditions *conditions)
{
    struct text part;
    char separator;
    while (next_part(reading, ",;", &part, &separator)) {
        if (!read_term(reading, &part, conditions))
            return false;
        conditions->alternative_count += separator != ';';
    }
    return true;
}

bool rules_parse_conditions(const char *name, const char *text, size_t length, void *field,
                            struct parse_error *fault)
{
    struct sample_conditions *made = rules_allocate(sizeof *made, length, fault);
    if (made == NULL)
        return false;
    struct reading reading = rules_begin(name, made->written, text, length, fault);
    return rules_finish(made, read_conditions(&reading, made), field);
}

/* --- sample ----------------------------------------------------------------------------------- */

bool rules_parse_share(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t value = 0;
    if (length < 2 || memcmp(text, "1/", 2) != 0 ||
        quantity_parse(QUANTITY_COUNT, text + 2, length - 2, &value) != NULL || value == 0 ||
        value > RULES_SHARE_MAX)
        return parse_error_set(fault, 0, "%s %s is not 1/N with N from 1 to %d", name,
                               quoted(text, length, given), RULES_SHARE_MAX);
    *(uint64_t *)field = value;
    return true;
}

/* --- rename, rename_label and add_label ------------------------------------------------------- */

static bool split_pair(const struct reading *reading, const struct text *part, char separator,
                       struct sample_pair *pair)
{
    char given[QUOTED_SIZE];
    const char *middle = memchr(part->data, separator, part->size);
    if (part->size == 0 || middle == NULL || middle == part->data ||
        middle == part->data + part->size - 1)
        return parse_error_set(reading->fault, place(reading, part), "%s: %s is not %s",
                               reading->name, quoted(part->data, part->size, given),
                               separator == ':' ? "OLD:NEW" : "LABEL=VALUE");
    pair->from = (struct text){part->data, (size_t)(middle - part->data)};
    pair->to = (struct text){middle + 1, part->size - pair->from.size - 1};
    if (separator == ':' && memchr(pair->to.data, ':', pair->to.size) != NULL)
        return parse_error_set(
            reading->fault, place(reading, part),
            "%s: %s has more than one \":\", so the old and the new name are ambiguous",
            reading->name, quoted(part->data, part->size, given));
    return check_literal(reading, &pair->from);
}

static bool check_fields(const struct reading *reading, const struct text *value)
{
    char given[QUOTED_SIZE];
    struct label_piece piece;
    struct suggestion suggestion;
    for (size_t at = 0; label_template_next(value, &at, &piece);) {
        if (piece.field != LABEL_WRONG)
            continue;
        bool named = piece.text.size > 3 && piece.text.data[1] == '{' &&
                     piece.text.data[piece.text.size - 1] == '}';
        parse_error_set(
            reading->fault, place(reading, &piece.text),
            "%s: %s is not a field; the fields are %%{hostname}, %%{source}, "
            "%%{listener}, %%{schema}, %%{sender} and %%{sender_id}, and %%%% is a percent sign",
            reading->name, quoted(piece.text.data, piece.text.size, given));
        if (!named)
            return false;
        suggestion_begin(&suggestion, piece.text.data + 2, piece.text.size - 3);
        for (int field = LABEL_TEXT + 1; field < LABEL_FIELD_COUNT; field++)
            suggestion_offer(&suggestion, label_field_names[field]);
        parse_error_suggest(reading->fault, suggestion_found(&suggestion));
        return false;
    }
    return true;
}

static bool read_pairs(struct reading *reading, char separator, struct sample_pairs *list)
{
    char given[QUOTED_SIZE];
    struct text part;
    char ended_by;
    while (next_part(reading, ",", &part, &ended_by)) {
        if (list->count == SAMPLE_LIST_MAX)
            return too_many(reading, &part);
        struct sample_pair *pair = &list->pairs[list->count];
        if (!split_pair(reading, &part, separator, pair) ||
            (separator == '=' && !check_fields(reading, &pair->to)))
            return false;
        for (size_t i = 0; i < list->count; i++)
            if (text_equal(&list->pairs[i].from, &pair->from))
                return parse_error_set(reading->fault, place(reading, &part), "%s has %s twice",
                                       reading->name,
                                       quoted(pair->from.data, pair->from.size, given));
        list->count++;
    }
    return true;
}

static bool parse_pairs(const char *name, const char *text, size_t length, char separator,
                        void *field, struct parse_error *fault)
{
    struct sample_pairs *made = rules_allocate(sizeof *made, length, fault);
    if (made == NULL)
        return false;
    struct reading reading = rules_begin(name, made->written, text, length, fault);
    return rules_finish(made, read_pairs(&reading, separator, made), field);
}

bool rules_parse_renames(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault)
{
    return parse_pairs(name, text, length, ':', field, fault);
}

bool rules_parse_labels(const char *name, const char *text, size_t length, void *field,
                        struct parse_error *fault)
{
    return parse_pairs(name, text, length, '=', field, fault);
}

/* --- keep_label, drop_label ------------------------------------------------------------------- */

static bool read_globs(struct reading *reading, struct sample_globs *list)
{
    struct text part;
    char ended_by;
    while (next_part(reading, ",", &part, &ended_by)) {
        if (part.size == 0)
            return parse_error_set(reading->fault, place(reading, &part),
                                   "%s: a label is missing here", reading->name);
        if (list->count == SAMPLE_LIST_MAX)
            return too_many(reading, &part);
        list->globs[list->count++] = part;
    }
    return true;
}

bool rules_parse_globs(const char *name, const char *text, size_t length, void *field,
                       struct parse_error *fault)
{
    struct sample_globs *made = rules_allocate(sizeof *made, length, fault);
    if (made == NULL)
        return false;
    struct reading reading = rules_begin(name, made->written, text, length, fault);
    return rules_finish(made, read_globs(&reading, made), field);
}

/* --- buckets ---------------------------------------------------------------------------------- */

bool rules_parse_buckets(const char *name, const char *text, size_t length, void *field,
                         struct parse_error *fault)
{
    char given[QUOTED_SIZE];
    uint64_t *buckets = field;
    *buckets = text_is(text, length, "changed") ? BUCKETS_CHANGED : BUCKETS_ALL;
    if (*buckets == BUCKETS_CHANGED || text_is(text, length, "all"))
        return true;
    if (quantity_parse(QUANTITY_COUNT, text, length, buckets) != NULL)
        return parse_error_set(fault, 0, "%s %s is not all, changed or a number", name,
                               quoted(text, length, given));
    if (*buckets >= BUCKETS_LEAST && *buckets <= BUCKETS_MOST)
        return true;
    return parse_error_set(fault, 0, "%s %s is not a number from %d to %d", name,
                           quoted(text, length, given), BUCKETS_LEAST, BUCKETS_MOST);
}

/* --- conflicts between rules ------------------------------------------------------------------ */

static bool globs_match(const struct sample_globs *list, const struct text *key)
{
    size_t steps = 0;
    for (size_t i = 0; i < list->count; i++)
        if (glob_matches(&list->globs[i], key, &steps, SIZE_MAX))
            return true;
    return false;
}

const struct text *rules_dropped_rename(const struct sample_rules *rules, const char **by)
{
    for (size_t i = 0; rules->rename_label != NULL && i < rules->rename_label->count; i++) {
        const struct text *key = &rules->rename_label->pairs[i].from;
        *by = "keep_label";
        if (rules->keep_label != NULL && !globs_match(rules->keep_label, key))
            return key;
        *by = "drop_label";
        if (rules->drop_label != NULL && globs_match(rules->drop_label, key))
            return key;
    }
    return NULL;
}
