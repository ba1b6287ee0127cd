#include "collector/config_tests/config_test_check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/rule.h"
#include "collector/base/suggestion.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/text/glob.h"

/*
 * Matching a line needs at most the glob's length times the line's length in steps, so the number
 * of steps is not limited.
 */
#define GLOB_STEPS SIZE_MAX

/* The maximum number of missing lines, and of additional lines, that a difference shows. */
#define SHOWN_MOST 100

struct lines {
    struct text *list;
    size_t count;
};

/* --- lines ------------------------------------------------------------------------------------ */

static size_t count_lines(const char *text, size_t size)
{
    size_t count = size != 0 && text[size - 1] != '\n';
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

static bool split(const struct growing_text *from, struct lines *to)
{
    to->count = 0;
    to->list = calloc(count_lines(from->data, from->used) + 1, sizeof *to->list);
    if (to->list == NULL)
        return false;
    const char *at = from->data;
    size_t left = from->used;
    while (left != 0) {
        const char *end = memchr(at, '\n', left);
        size_t size = end != NULL ? (size_t)(end - at) : left;
        to->list[to->count++] = (struct text){at, size};
        size_t passed = end != NULL ? size + 1 : size;
        at += passed;
        left -= passed;
    }
    return true;
}

static bool line_matches(enum config_test_form form, const struct config_test_text *expected,
                         const struct text *line)
{
    const struct text glob = {expected->data, expected->size};
    size_t steps = 0;
    if (form == CONFIG_TEST_FORM_LIKE)
        return glob_matches(&glob, line, &steps, GLOB_STEPS);
    return expected->size == line->size && memcmp(expected->data, line->data, line->size) == 0;
}

/* --- the diff --------------------------------------------------------------------------------- */

/*
 * same_at_begin returns how many lines match at the beginning. same_at_end returns how many of the
 * remaining lines match at the end.
 */
static size_t same_at_begin(const struct config_test_expectation *expected,
                            const struct lines *lines)
{
    size_t same = 0;
    while (same < expected->line_count && same < lines->count &&
           line_matches(expected->form, &expected->lines[same], &lines->list[same]))
        same++;
    return same;
}

static size_t same_at_end(const struct config_test_expectation *expected, const struct lines *lines,
                          size_t begin)
{
    size_t same = 0;
    while (begin + same < expected->line_count && begin + same < lines->count &&
           line_matches(expected->form, &expected->lines[expected->line_count - 1 - same],
                        &lines->list[lines->count - 1 - same]))
        same++;
    return same;
}

static void put_line(struct growing_text *to, const char *sign, const char *text, size_t size)
{
    growing_text_print(to, "    %s ", sign);
    growing_text_put(to, text, size);
    growing_text_put(to, "\n", 1);
}

static void put_rest(struct growing_text *to, size_t left)
{
    if (left > SHOWN_MOST)
        growing_text_print(to, "      and %zu more\n", left - SHOWN_MOST);
}

static void compare_lines(const struct config_test_expectation *expected, const char *sink,
                          const struct lines *lines, struct growing_text *differences)
{
    size_t begin = same_at_begin(expected, lines);
    if (begin == expected->line_count && begin == lines->count)
        return;
    size_t end = same_at_end(expected, lines, begin);
    size_t missing = expected->line_count - begin - end;
    size_t came = lines->count - begin - end;
    growing_text_print(differences, "  %s, from line %zu:\n", sink, begin + 1);
    for (size_t i = 0; i < missing && i < SHOWN_MOST; i++)
        put_line(differences, "-", expected->lines[begin + i].data,
                 expected->lines[begin + i].size);
    put_rest(differences, missing);
    for (size_t i = 0; i < came && i < SHOWN_MOST; i++)
        put_line(differences, "+", lines->list[begin + i].data, lines->list[begin + i].size);
    put_rest(differences, came);
}

static int check_lines(const struct config_test_file *file,
                       const struct config_test_expectation *expected,
                       const struct config_test_sink_outcome *sink,
                       struct growing_text *differences, struct error *error)
{
    struct lines lines;
    if (expected->form == CONFIG_TEST_FORM_NONE)
        return 0;
    if (sink->binary != (expected->form == CONFIG_TEST_FORM_HEX) && expected->line_count != 0) {
        config_test_file_error(file, expected->mark,
                               sink->binary
                                   ? "this sink does not write lines; use \"bytes\" in hexadecimal"
                                   : "this sink writes lines; use \"lines\" or \"like\"",
                               error);
        return -1;
    }
    if (!split(&sink->lines, &lines))
        return error_no_memory(error);
    compare_lines(expected, sink->name, &lines, differences);
    free(lines.list);
    return 0;
}

/* --- reasons ---------------------------------------------------------------------------------- */

#define FILTERED "filtered"

static int set_no_reason(const struct config_test_file *file, const struct config_test_text *given,
                         const char *what, const char *const *names, size_t count, bool filtered,
                         struct error *error)
{
    char text[QUOTED_SIZE];
    struct parse_error fault;
    struct suggestion suggestion;
    suggestion_begin(&suggestion, given->data, given->size);
    if (filtered)
        suggestion_offer(&suggestion, FILTERED);
    for (size_t i = 0; i < count; i++)
        suggestion_offer(&suggestion, names[i]);
    parse_error_set(&fault, 0, "the ledger has no reason %s for %s",
                    quoted(given->data, given->size, text), what);
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    config_test_file_error(file, given->mark, fault.text, error);
    return -1;
}

static size_t name_index(const struct config_test_text *given, const char *const *names,
                         size_t count)
{
    size_t i = 0;
    while (i < count && strcmp(names[i], given->data) != 0)
        i++;
    return i;
}

static int check_reason(const struct config_test_file *file,
                        const struct config_test_expectation *expected,
                        const struct config_test_sink_outcome *sink,
                        struct growing_text *differences, struct error *error)
{
    const struct config_test_text *given = &expected->reason;
    uint64_t came = sink->filtered;
    if (given->data == NULL)
        return 0;
    if (strcmp(given->data, FILTERED) != 0) {
        size_t place = name_index(given, record_failure_names, FAILURE_COUNT);
        if (place == FAILURE_COUNT)
            return set_no_reason(file, given, "records", record_failure_names, FAILURE_COUNT, true,
                                 error);
        came = sink->failed[place];
    }
    if (came != expected->count)
        growing_text_print(differences,
                           "  %s, records:\n    - %s %" PRIu64 "\n    + %s %" PRIu64 "\n",
                           sink->name, given->data, expected->count, given->data, came);
    return 0;
}

static int note_refused_datagrams(const struct config_test_file *file,
                                  const struct config_test_expectation *expected,
                                  uint64_t wanted[REASON_COUNT], struct error *error)
{
    const struct config_test_text *given = &expected->refused;
    size_t place = name_index(given, datagram_reason_names, REASON_COUNT);
    if (place == REASON_COUNT)
        return set_no_reason(file, given, "datagrams", datagram_reason_names, REASON_COUNT, false,
                             error);
    wanted[place] += expected->count;
    return 0;
}

/*
 * Compares the numbers of datagrams that were not decoded, for each reason, with the expected
 * numbers. Heartbeats (`control`) need not be expected, because no record is lost.
 */
static void check_refused(const uint64_t wanted[REASON_COUNT],
                          const struct config_test_outcome *outcome,
                          struct growing_text *differences)
{
    bool begun = false;
    for (size_t i = 0; i < REASON_COUNT; i++) {
        uint64_t came = outcome->refused[i];
        if (came == wanted[i] || (i == REASON_CONTROL && wanted[i] == 0))
            continue;
        if (!begun)
            growing_text_print(differences, "  datagrams refused:\n");
        begun = true;
        if (wanted[i] != 0)
            growing_text_print(differences, "    - %s %" PRIu64 "\n", datagram_reason_names[i],
                               wanted[i]);
        if (came != 0)
            growing_text_print(differences, "    + %s %" PRIu64 "\n", datagram_reason_names[i],
                               came);
    }
}

int config_test_check(const struct config_test_file *file, const struct config_test *test,
                      const struct config *config, const struct config_test_outcome *outcome,
                      struct growing_text *differences, struct error *error)
{
    uint64_t wanted[REASON_COUNT] = {0};
    for (size_t i = 0; i < test->expectation_count; i++) {
        const struct config_test_expectation *expected = &test->expectations[i];
        if (expected->refused.data != NULL) {
            if (note_refused_datagrams(file, expected, wanted, error) != 0)
                return -1;
            continue;
        }
        int sink = config_test_find_sink(file, config, expected, error);
        RULE(sink < 0 || (size_t)sink < outcome->sink_count, "each sink has its outcome");
        if (sink < 0 ||
            check_lines(file, expected, &outcome->sinks[sink], differences, error) != 0 ||
            check_reason(file, expected, &outcome->sinks[sink], differences, error) != 0)
            return -1;
    }
    check_refused(wanted, outcome, differences);
    return differences->failed ? error_no_memory(error) : 0;
}
