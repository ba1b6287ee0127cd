#include "collector/config_tests/config_test_record.h"

#include <inttypes.h>
#include <string.h>

#include "collector/base/rule.h"
#include "collector/config/yaml_text.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/platform/data_file.h"
#include "collector/text/utf8.h"

/* --- characters ------------------------------------------------------------------------------- */

struct character {
    const char *at;
    size_t size;
    uint32_t number;
    bool in_yaml; /* it can be written in YAML: it is valid UTF-8 and not NUL */
    bool plain;   /* it can be written without an escape */
};

static struct character next_character(const char *text, size_t size)
{
    struct character next = {.at = text};
    bool valid;
    next.size = utf8_sequence((const uint8_t *)text, size, &valid);
    if (!valid)
        next.size = 1;
    next.number = valid ? utf8_decode((const uint8_t *)text, next.size) : 0;
    next.in_yaml = valid && next.number != 0;
    next.plain = next.in_yaml && !yaml_text_hides(next.number);
    return next;
}

/* --- lines ------------------------------------------------------------------------------------ */

struct manner {
    bool block;   /* the lines are written as a YAML block, without escapes */
    bool as_like; /* the lines are written as globs, in which "?" stands for bytes that YAML cannot
                   * represent */
    bool empty;
};

static struct manner manner_of(const struct growing_text *lines)
{
    struct manner manner = {.block = true, .empty = lines->used == 0};
    bool begins = true;
    for (size_t i = 0; i < lines->used;) {
        if (lines->data[i] == '\n') {
            manner.block = manner.block && !begins;
            begins = true;
            i++;
            continue;
        }
        struct character next = next_character(lines->data + i, lines->used - i);
        manner.block = manner.block && next.plain && !(begins && *next.at == ' ');
        manner.as_like = manner.as_like || !next.in_yaml;
        begins = false;
        i += next.size;
    }
    return manner;
}

static void put_indent(struct growing_text *to, size_t columns)
{
    growing_text_print(to, "%*s", (int)columns, "");
}

static void put_quoted(struct growing_text *to, const char *text, size_t size)
{
    growing_text_put(to, "\"", 1);
    for (size_t i = 0; i < size;) {
        struct character next = next_character(text + i, size - i);
        if (!next.in_yaml)
            growing_text_put(to, "?", 1);
        else if (!next.plain)
            growing_text_print(to, "\\U%08" PRIX32, next.number);
        else if (*next.at == '"' || *next.at == '\\')
            growing_text_print(to, "\\%c", *next.at);
        else
            growing_text_put(to, next.at, next.size);
        i += next.size;
    }
    growing_text_put(to, "\"", 1);
}

static void put_each_line(struct growing_text *to, const struct growing_text *lines, size_t indent,
                          bool block)
{
    const char *at = lines->data;
    size_t left = lines->used;
    while (left != 0) {
        const char *end = memchr(at, '\n', left);
        size_t size = end != NULL ? (size_t)(end - at) : left;
        put_indent(to, indent);
        if (block) {
            growing_text_put(to, at, size);
        } else {
            growing_text_put(to, "- ", 2);
            put_quoted(to, at, size);
        }
        growing_text_put(to, "\n", 1);
        size_t passed = end != NULL ? size + 1 : size;
        at += passed;
        left -= passed;
    }
}

/* --- an expectation --------------------------------------------------------------------------- */

static void put_sink_name(struct growing_text *to, const char *name, size_t indent)
{
    size_t size = strlen(name);
    put_indent(to, indent);
    growing_text_print(to, "- sink: ");
    if (name[size - 1] == ':' && strchr(name, ':') == name + size - 1)
        growing_text_put(to, name, size - 1); /* "stdout" */
    else
        put_quoted(to, name, size);
    growing_text_put(to, "\n", 1);
}

static void put_reason(struct growing_text *to, const char *key, const char *reason, uint64_t count,
                       size_t indent)
{
    put_indent(to, indent);
    growing_text_print(to, "%s: %s\n", key, reason);
    if (count == 1)
        return;
    put_indent(to, indent + (key[0] == '-' ? 2 : 0));
    growing_text_print(to, "count: %" PRIu64 "\n", count);
}

static void put_sink(struct growing_text *to, const struct config_test_sink_outcome *sink,
                     size_t indent)
{
    struct manner manner = manner_of(&sink->lines);
    const char *key = sink->binary ? "bytes" : manner.as_like ? "like" : "lines";
    put_sink_name(to, sink->name, indent);
    put_indent(to, indent + 2);
    growing_text_print(to, "%s:%s\n", key, manner.empty ? " []" : manner.block ? " |" : "");
    put_each_line(to, &sink->lines, indent + 4, manner.block);
    bool first = true;
    for (size_t i = 0; i <= FAILURE_COUNT; i++) {
        uint64_t count = i == FAILURE_COUNT ? (manner.empty ? sink->filtered : 0) : sink->failed[i];
        const char *reason = i == FAILURE_COUNT ? "filtered" : record_failure_names[i];
        if (count == 0)
            continue;
        if (!first)
            put_sink_name(to, sink->name, indent);
        put_reason(to, "reason", reason, count, indent + 2);
        first = false;
    }
}

static void put_expectations(struct growing_text *to, const struct config_test_outcome *outcome,
                             size_t indent)
{
    growing_text_print(to, "expect:\n");
    for (size_t i = 0; i < outcome->sink_count; i++)
        put_sink(to, &outcome->sinks[i], indent);
    for (size_t i = 0; i < REASON_COUNT; i++)
        if (outcome->refused[i] != 0 && i != REASON_CONTROL)
            put_reason(to, "- refused", datagram_reason_names[i], outcome->refused[i], indent);
}

/* --- the file --------------------------------------------------------------------------------- */

static size_t line_at(const struct config_test_file *file, size_t line)
{
    return config_test_file_at(file, (struct provenance_mark){line, 1});
}

/* Returns true if the line is blank, or is a comment that begins left of this column. */
static bool is_beside(const struct config_test_file *file, size_t line, size_t column)
{
    const char *at = file->text + line_at(file, line);
    size_t indent = strspn(at, " ");
    at += indent;
    at += strspn(at, "\t\r");
    return *at == '\n' || *at == '\0' || (*at == '#' && indent < column);
}

/*
 * Returns the line after an element that ends before line `end`, not counting blank lines and
 * comments at its end.
 */
static size_t end_of(const struct config_test_file *file, size_t begin, size_t end, size_t column)
{
    while (end > begin + 1 && is_beside(file, end - 1, column))
        end--;
    return end;
}

static void copy_to(struct config_test_recording *recording, const struct config_test_file *file,
                    size_t at)
{
    RULE(at >= recording->copied && at <= file->size,
         "tests are recorded in the order of the file");
    growing_text_put(&recording->text, file->text + recording->copied, at - recording->copied);
    recording->copied = at;
}

/* Appends lines, each of which ends in '\n', with the line ends of the file. */
static void put_lines(struct growing_text *to, const struct config_test_file *file,
                      const struct growing_text *lines)
{
    const char *line_end = config_test_file_line_end(file);
    to->failed = to->failed || lines->failed;
    if (lines->failed)
        return;
    for (size_t at = 0; at < lines->used;) {
        const char *end = memchr(lines->data + at, '\n', lines->used - at);
        RULE(end != NULL, "an expectation is whole lines");
        growing_text_put(to, lines->data + at, (size_t)(end - lines->data) - at);
        growing_text_put(to, line_end, strlen(line_end));
        at = (size_t)(end - lines->data) + 1;
    }
}

int config_test_record(struct config_test_recording *recording, const struct config_test_file *file,
                       const struct config_test *test, const struct config_test_outcome *outcome,
                       struct error *error)
{
    size_t indent = test->expect_column - 1;
    struct growing_text lines = {.data = NULL};
    if (test->in_braces) {
        config_test_file_error(
            file, test->mark,
            "a test in braces cannot be recorded; write each key on a line of its own", error);
        return -1;
    }
    size_t begin = test->has_expect ? test->expect_line : test->mark.line;
    size_t end = end_of(file, begin, test->expect_end, test->expect_column);
    if (test->has_expect) {
        copy_to(recording, file,
                config_test_file_at(file, (struct provenance_mark){begin, test->expect_column}));
    } else {
        copy_to(recording, file, line_at(file, end));
        put_indent(&recording->text, indent);
    }
    put_expectations(&lines, outcome, indent + 2);
    put_lines(&recording->text, file, &lines);
    growing_text_free(&lines);
    recording->copied = line_at(file, end);
    return 0;
}

/* Overwrites the file in place, so that it keeps its owner, permissions and links. */
static int write_test_file(const struct config_test_file *file, const struct growing_text *text,
                           struct error *error)
{
    const struct text piece = {text->data, text->used};
    struct data_file to;
    struct error why;
    enum data_file_result opened = data_file_open_linked(file->path, &to, &why);
    bool written = opened == DATA_FILE_DONE &&
                   data_file_write(to, 0, &piece, 1, &why) == DATA_FILE_DONE &&
                   data_file_cut(to, text->used, &why);
    if (opened == DATA_FILE_DONE)
        data_file_close(to);
    if (!written)
        error_set(error, EXIT_CODE_IO, "%s: cannot be written: %s", file->path,
                  opened == DATA_FILE_MISSING ? "it is not a file any more" : why.text);
    return written ? 0 : -1;
}

/* Parses the new text of the file, and checks that it has as many tests as the old text. */
static int check_recorded(const struct config_test_file *file, const struct growing_text *text,
                          struct error *error)
{
    struct config_test_file again = {.path = NULL};
    bool good = config_test_file_parse(file->path, text->data, text->used, &again, error);
    if (good && again.count != file->count) {
        error_set(error, EXIT_CODE_INTERNAL,
                  "%s: not recorded, because the number of tests would change", file->path);
        good = false;
    }
    config_test_file_free(&again);
    return good ? 0 : -1;
}

int config_test_record_end(struct config_test_recording *recording,
                           const struct config_test_file *file, bool keep, struct error *error)
{
    int result = 0;
    if (recording->text.used != 0 && !keep) {
        copy_to(recording, file, file->size);
        result = recording->text.failed ? error_no_memory(error)
                                        : check_recorded(file, &recording->text, error);
        if (result == 0)
            result = write_test_file(file, &recording->text, error);
    }
    growing_text_free(&recording->text);
    recording->copied = 0;
    return result;
}
