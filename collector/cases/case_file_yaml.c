/* collector/cases/case_file.h: the YAML. */
#include <stdlib.h>
#include <string.h>

#include "collector/base/suggestion.h"
#include "collector/cases/case_file.h"
#include "collector/cases/case_keys.h"
#include "collector/cases/case_time.h"
#include "collector/config/file.h"
#include "collector/config/file_parts.h"
#include "collector/config/metrics_address.h"
#include "collector/platform/file_path.h"
#include "collector/text/copy.h"

/* The file that is being read, and what it is read into. */
struct reading {
    struct file_reading file;
    const char *whole; /* the configuration that it is a part of; NULL: it is none */
    struct case_file *to;
    struct provenance_mark foreign; /* the first name that is an option's; line 0: there is none */
    char *foreign_name;
};

/* Where each key of the map was given that is read; 0: not yet. */
struct given {
    size_t lines[CASE_KEYS];
};

/* --- what is wrong ---------------------------------------------------------------------------- */

static bool refuse(const struct reading *reading, struct provenance_mark mark, const char *format,
                   const char *what)
{
    struct parse_error fault;
    parse_error_set(&fault, 0, "%s%s", format, what);
    return file_parse_error(&reading->file, mark, &fault);
}

static bool unknown_key(const struct reading *reading, enum case_scope scope, const char *name,
                        size_t length, struct provenance_mark mark)
{
    char given[QUOTED_SIZE];
    struct suggestion suggestion;
    struct parse_error fault;
    suggestion_begin(&suggestion, name, length);
    for (const struct case_key *key = case_keys; key->name != NULL; key++)
        if (key->scope == scope)
            suggestion_offer(&suggestion, key->name);
    parse_error_set(&fault, 0, "%s is no key of %s", quoted(name, length, given),
                    case_scope_name(scope));
    parse_error_suggest(&fault, suggestion_found(&suggestion));
    return file_parse_error(&reading->file, mark, &fault);
}

static bool wrong_kind(const struct reading *reading, const struct case_key *key, const char *due)
{
    struct parse_error fault;
    parse_error_set(&fault, 0, "\"%s\" has %s where %s is due", key->name,
                    file_piece_name(&reading->file), due);
    return file_parse_error(&reading->file, reading->file.piece.mark, &fault);
}

/* --- lists and texts -------------------------------------------------------------------------- */

/* Room for one more element, all zero, in a list that grows by doubling. NULL without memory. */
static void *add_element(void **list, size_t *count, size_t size)
{
    if ((*count & (*count - 1)) == 0) {
        void *grown = realloc(*list, (*count == 0 ? 1 : 2 * *count) * size);
        if (grown == NULL)
            return NULL;
        *list = grown;
    }
    void *element = (char *)*list + (*count)++ * size;
    memset(element, 0, size);
    return element;
}

static bool is_over(const struct reading *reading, size_t count)
{
    struct parse_error fault;
    if (count < CASE_LIST_MAX)
        return false;
    parse_error_set(&fault, 0, "a list has more than %d items here", CASE_LIST_MAX);
    return !file_parse_error(&reading->file, reading->file.piece.mark, &fault);
}

/* Takes the text that the last piece is. */
static bool take_text(struct reading *reading, const struct case_key *key, struct case_text *to)
{
    const struct yaml_piece *piece = &reading->file.piece;
    if (piece->kind != PIECE_TEXT)
        return wrong_kind(reading, key, "its value");
    to->data = text_copy(piece->text, piece->length);
    to->size = piece->length;
    to->mark = piece->text_mark;
    return to->data != NULL || file_no_memory(&reading->file);
}

/* The same of one that says something. */
static bool take_word(struct reading *reading, const struct case_key *key, struct case_text *to)
{
    if (!take_text(reading, key, to))
        return false;
    return to->size != 0 || refuse(reading, to->mark, key->name, " has no value");
}

/* Takes the name that the last piece is, in a map of this scope. Returns NULL where it has none. */
static const struct case_key *take_key(struct reading *reading, enum case_scope scope,
                                       struct given *given)
{
    const struct yaml_piece *piece = &reading->file.piece;
    struct parse_error fault;
    if (piece->kind != PIECE_TEXT) {
        refuse(reading, piece->mark, file_piece_name(&reading->file), " where a name is due");
        return NULL;
    }
    const struct case_key *key = case_key_named(scope, piece->text, piece->length);
    if (key == NULL) {
        unknown_key(reading, scope, piece->text, piece->length, piece->mark);
        return NULL;
    }
    if (given->lines[key->id] != 0) {
        parse_error_set(&fault, 0, "\"%s\" is given twice; it was on line %zu already", key->name,
                        given->lines[key->id]);
        file_parse_error(&reading->file, piece->mark, &fault);
        return NULL;
    }
    given->lines[key->id] = piece->mark.line;
    return key;
}

/* --- an input --------------------------------------------------------------------------------- */

static bool take_input(struct reading *reading, const struct case_key *key,
                       struct case_input *input, enum case_input_kind kind)
{
    if (input->kind != CASE_INPUT_NONE)
        return refuse(reading, reading->file.piece.mark, key->name,
                      ": an input is one of json, hex, base64 and capture");
    input->kind = kind;
    return take_text(reading, key, &input->text);
}

static bool take_source(struct reading *reading, const struct case_key *key,
                        struct case_input *input)
{
    struct case_text text = {.data = NULL};
    struct parse_error fault;
    bool good = take_word(reading, key, &text) &&
                (metrics_address_parse("source", text.data, text.size, &input->source, &fault) ||
                 file_parse_error(&reading->file, text.mark, &fault));
    free(text.data);
    return good;
}

static bool take_time(struct reading *reading, const struct case_key *key, struct case_input *input)
{
    struct case_text text = {.data = NULL};
    bool good = take_word(reading, key, &text) &&
                (case_time_parse(text.data, &input->time_ns) ||
                 refuse(reading, text.mark, "time", " is written 2026-11-21T06:43:36.38Z"));
    free(text.data);
    return good;
}

static bool take_input_value(struct reading *reading, const struct case_key *key,
                             struct case_input *input)
{
    switch (key->id) {
    case CASE_KEY_JSON:
        return take_input(reading, key, input, CASE_INPUT_JSON);
    case CASE_KEY_HEX:
        return take_input(reading, key, input, CASE_INPUT_HEX);
    case CASE_KEY_BASE64:
        return take_input(reading, key, input, CASE_INPUT_BASE64);
    case CASE_KEY_CAPTURE:
        return take_input(reading, key, input, CASE_INPUT_CAPTURE);
    case CASE_KEY_SCHEMA:
        return take_word(reading, key, &input->schema);
    case CASE_KEY_SOURCE:
        return take_source(reading, key, input);
    default:
        return take_time(reading, key, input);
    }
}

static bool check_input(const struct reading *reading, const struct case_input *input,
                        const struct given *given)
{
    if (input->kind == CASE_INPUT_NONE)
        return refuse(reading, input->mark, "an input", " is one of json, hex, base64 and capture");
    if (input->kind != CASE_INPUT_JSON && input->schema.data != NULL)
        return refuse(reading, input->schema.mark, "schema", " is for json alone");
    if (input->kind == CASE_INPUT_CAPTURE &&
        (given->lines[CASE_KEY_SOURCE] != 0 || given->lines[CASE_KEY_TIME] != 0))
        return refuse(reading, input->mark, "a capture", " has sources and times of its own");
    return true;
}

/* The last piece begins its map. */
static bool read_input(struct reading *reading, const struct case_key *key, struct test_case *test)
{
    static const uint8_t documentation[4] = {192, 0, 2, 1};
    struct given given = {.lines = {0}};
    if (reading->file.piece.kind != PIECE_MAP)
        return wrong_kind(reading, key, "a map with json, hex, base64 or capture");
    if (is_over(reading, test->input_count))
        return false;
    void *list = test->inputs;
    struct case_input *input = add_element(&list, &test->input_count, sizeof *input);
    if (input == NULL)
        return file_no_memory(&reading->file);
    test->inputs = list;
    input->mark = reading->file.piece.mark;
    input->source = address_from_ipv4(documentation, 40000);
    input->time_ns = CASE_TIME_NS;
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_MAP_END)
            return check_input(reading, input, &given);
        const struct case_key *of = take_key(reading, CASE_OF_INPUT, &given);
        if (of == NULL || !file_next(&reading->file) || !take_input_value(reading, of, input))
            return false;
    }
    return false;
}

static bool read_inputs(struct reading *reading, const struct case_key *key, struct test_case *test)
{
    if (reading->file.piece.kind != PIECE_LIST)
        return read_input(reading, key, test);
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_LIST_END)
            return test->input_count != 0 || refuse(reading, test->mark, "input", " is empty");
        if (!read_input(reading, key, test))
            return false;
    }
    return false;
}

/* --- an expectation --------------------------------------------------------------------------- */

static bool add_line(struct reading *reading, struct case_expectation *to, const char *text,
                     size_t size)
{
    if (is_over(reading, to->line_count))
        return false;
    void *list = to->lines;
    struct case_text *line = add_element(&list, &to->line_count, sizeof *line);
    if (line == NULL)
        return file_no_memory(&reading->file);
    to->lines = list;
    line->data = text_copy(text, size);
    line->size = size;
    line->mark = reading->file.piece.mark;
    return line->data != NULL || file_no_memory(&reading->file);
}

/* The lines that a text has; the last one needs no end. */
static bool add_text(struct reading *reading, struct case_expectation *to)
{
    const char *at = reading->file.piece.text;
    const char *end = at + reading->file.piece.length;
    while (at != end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!add_line(reading, to, at, (size_t)((stop != NULL ? stop : end) - at)))
            return false;
        at = stop != NULL ? stop + 1 : end;
    }
    return true;
}

static bool take_lines(struct reading *reading, const struct case_key *key,
                       struct case_expectation *to, enum case_form form)
{
    if (to->form != CASE_FORM_NONE)
        return refuse(reading, reading->file.piece.mark, key->name,
                      ": an expectation has one of lines, like and bytes");
    to->form = form;
    if (reading->file.piece.kind == PIECE_TEXT)
        return add_text(reading, to);
    if (reading->file.piece.kind != PIECE_LIST)
        return wrong_kind(reading, key, "a text or a list of lines");
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_LIST_END)
            return true;
        if (reading->file.piece.kind != PIECE_TEXT)
            return wrong_kind(reading, key, "a line");
        if (!add_line(reading, to, reading->file.piece.text, reading->file.piece.length))
            return false;
    }
    return false;
}

static bool take_count(struct reading *reading, const struct case_key *key,
                       struct case_expectation *to)
{
    struct case_text text = {.data = NULL};
    bool good = take_word(reading, key, &text);
    if (good) {
        good = text.size < 19 && strspn(text.data, "0123456789") == text.size;
        to->has_count = true;
        to->count = good ? strtoull(text.data, NULL, 10) : 0;
        good = (good && to->count != 0) ||
               refuse(reading, text.mark, "count", " is a number, and at least 1");
    }
    free(text.data);
    return good;
}

static bool take_expected_value(struct reading *reading, const struct case_key *key,
                                struct case_expectation *to)
{
    switch (key->id) {
    case CASE_KEY_SINK:
        return take_word(reading, key, &to->sink);
    case CASE_KEY_LINES:
        return take_lines(reading, key, to, CASE_FORM_LINES);
    case CASE_KEY_LIKE:
        return take_lines(reading, key, to, CASE_FORM_LIKE);
    case CASE_KEY_BYTES:
        return take_lines(reading, key, to, CASE_FORM_HEX);
    case CASE_KEY_REASON:
        return take_word(reading, key, &to->reason);
    case CASE_KEY_REFUSED:
        return take_word(reading, key, &to->refused);
    default:
        return take_count(reading, key, to);
    }
}

static bool check_expectation(const struct reading *reading, struct case_expectation *to)
{
    bool about_sink = to->form != CASE_FORM_NONE || to->reason.data != NULL;
    if (to->refused.data != NULL && (about_sink || to->sink.data != NULL))
        return refuse(reading, to->mark, "refused",
                      " is about datagrams; what sinks write is an item of its own");
    if (to->refused.data == NULL && !about_sink)
        return refuse(reading, to->mark, "an expectation",
                      " has lines, like or bytes, or a reason, or refused");
    if (to->has_count && to->refused.data == NULL && to->reason.data == NULL)
        return refuse(reading, to->mark, "count", " is for reason and refused");
    if (!to->has_count)
        to->count = 1;
    return true;
}

static bool read_expectation(struct reading *reading, const struct case_key *key,
                             struct test_case *test)
{
    struct given given = {.lines = {0}};
    if (reading->file.piece.kind != PIECE_MAP)
        return wrong_kind(reading, key, "a map with what a sink writes, or with refused");
    if (is_over(reading, test->expectation_count))
        return false;
    void *list = test->expectations;
    struct case_expectation *to = add_element(&list, &test->expectation_count, sizeof *to);
    if (to == NULL)
        return file_no_memory(&reading->file);
    test->expectations = list;
    to->mark = reading->file.piece.mark;
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_MAP_END)
            return check_expectation(reading, to);
        const struct case_key *of = take_key(reading, CASE_OF_EXPECTATION, &given);
        if (of == NULL || !file_next(&reading->file) || !take_expected_value(reading, of, to))
            return false;
    }
    return false;
}

static bool read_expectations(struct reading *reading, const struct case_key *key,
                              struct test_case *test)
{
    test->has_expect = true;
    if (reading->file.piece.kind != PIECE_LIST)
        return wrong_kind(reading, key, "a list (each item begins with \"- \")");
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_LIST_END)
            return true;
        if (!read_expectation(reading, key, test))
            return false;
    }
    return false;
}

/* --- a test ----------------------------------------------------------------------------------- */

static bool take_test_value(struct reading *reading, const struct case_key *key,
                            struct test_case *test)
{
    switch (key->id) {
    case CASE_KEY_NAME:
        return take_word(reading, key, &test->name);
    case CASE_KEY_LISTENER:
        return take_word(reading, key, &test->listener);
    case CASE_KEY_HOSTNAME:
        return take_word(reading, key, &test->hostname);
    case CASE_KEY_INPUT:
        return read_inputs(reading, key, test);
    default:
        return read_expectations(reading, key, test);
    }
}

static bool check_test(const struct reading *reading, const struct test_case *test)
{
    if (test->name.data == NULL)
        return refuse(reading, test->mark, "name", " is missing in this test");
    if (test->input_count == 0)
        return refuse(reading, test->mark, "input", " is missing in this test");
    return true;
}

/* What stands in the file where a map begins says whether it is one of lines. */
static bool begins_with_brace(const struct case_file *file, struct provenance_mark mark)
{
    size_t at = case_file_at(file, mark);
    return at < file->size && file->text[at] == '{';
}

/* The piece after a value says where that ended. */
static void note_end(struct test_case *test, const struct yaml_piece *piece)
{
    if (test->expect_line != 0 && test->expect_end == 0)
        test->expect_end = piece->mark.line;
}

/* The last piece begins its map. */
static bool read_test_keys(struct reading *reading, struct test_case *test)
{
    struct given given = {.lines = {0}};
    while (file_next(&reading->file)) {
        note_end(test, &reading->file.piece);
        if (reading->file.piece.kind == PIECE_MAP_END)
            break;
        const struct provenance_mark mark = reading->file.piece.mark;
        const struct case_key *key = take_key(reading, CASE_OF_TEST, &given);
        if (key == NULL)
            return false;
        if (test->mark.line == 0)
            test->mark = mark;
        if (key->id == CASE_KEY_EXPECT)
            test->expect_line = mark.line;
        if (!file_next(&reading->file) || !take_test_value(reading, key, test))
            return false;
    }
    if (reading->file.piece.kind != PIECE_MAP_END)
        return false;
    if (test->mark.line == 0)
        test->mark = reading->file.piece.mark;
    if (test->expect_line == 0)
        test->expect_line = test->expect_end = reading->file.piece.mark.line;
    test->expect_column = test->mark.column;
    return check_test(reading, test);
}

static bool read_test(struct reading *reading)
{
    struct case_file *to = reading->to;
    if (reading->file.piece.kind != PIECE_MAP)
        return refuse(reading, reading->file.piece.mark, file_piece_name(&reading->file),
                      " where a test, a map with name and input, is due");
    if (is_over(reading, to->count))
        return false;
    void *list = to->cases;
    struct test_case *test = add_element(&list, &to->count, sizeof *test);
    if (test == NULL)
        return file_no_memory(&reading->file);
    to->cases = list;
    test->in_braces = begins_with_brace(to, reading->file.piece.mark);
    return read_test_keys(reading, test);
}

static bool read_tests(struct reading *reading, const struct case_key *key)
{
    if (reading->file.piece.kind != PIECE_LIST)
        return wrong_kind(reading, key, "a list (each item begins with \"- \")");
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_LIST_END)
            return true;
        if (!read_test(reading))
            return false;
    }
    return false;
}

/* --- the file --------------------------------------------------------------------------------- */

static bool take_config(struct reading *reading, const struct case_key *key)
{
    struct case_text text = {.data = NULL};
    bool good = take_word(reading, key, &text);
    if (good) {
        reading->to->config = case_file_path(reading->to, text.data);
        good = reading->to->config != NULL || file_no_memory(&reading->file);
    }
    free(text.data);
    return good;
}

/* The configuration's own: it is read as such, and is no part of a file of tests alone. */
static bool pass_option(struct reading *reading)
{
    const struct yaml_piece *piece = &reading->file.piece;
    if (piece->length == strlen(CONFIG_FILE_MORE) &&
        memcmp(piece->text, CONFIG_FILE_MORE, piece->length) == 0)
        reading->to->names_more = true;
    if (reading->foreign.line == 0) {
        reading->foreign = piece->mark;
        reading->foreign_name = text_copy(piece->text, piece->length);
        if (reading->foreign_name == NULL)
            return file_no_memory(&reading->file);
    }
    return file_next(&reading->file) && file_skip(&reading->file);
}

static bool read_pair(struct reading *reading, struct given *given)
{
    const struct yaml_piece *piece = &reading->file.piece;
    if (piece->kind == PIECE_TEXT &&
        case_key_named(CASE_OF_FILE, piece->text, piece->length) == NULL)
        return pass_option(reading);
    const struct case_key *key = take_key(reading, CASE_OF_FILE, given);
    if (key == NULL || !file_next(&reading->file))
        return false;
    return key->id == CASE_KEY_CONFIG ? take_config(reading, key) : read_tests(reading, key);
}

static bool check_file(struct reading *reading)
{
    static const struct provenance_mark begin = {1, 1};
    struct case_file *to = reading->to;
    if (to->config != NULL && reading->foreign_name != NULL)
        return unknown_key(reading, CASE_OF_FILE, reading->foreign_name,
                           strlen(reading->foreign_name), reading->foreign);
    if (to->count == 0 && !to->names_more && reading->whole == NULL)
        return refuse(reading, begin, "there are no tests here",
                      "; they are a list called \"tests\"");
    if (to->config == NULL)
        to->config = text_copy_all(reading->whole != NULL ? reading->whole : to->path);
    return to->config != NULL || file_no_memory(&reading->file);
}

static bool read_document(struct reading *reading)
{
    struct given given = {.lines = {0}};
    if (!file_next(&reading->file))
        return false;
    if (reading->file.piece.kind == PIECE_END)
        return check_file(reading);
    if (reading->file.piece.kind != PIECE_MAP)
        return refuse(reading, reading->file.piece.mark, file_piece_name(&reading->file),
                      " where \"tests\" is due");
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_MAP_END)
            return file_next(&reading->file) && check_file(reading);
        if (!read_pair(reading, &given))
            return false;
    }
    return false;
}

/* The text, with a newline at its end: what stands in it is found by its lines. */
static bool keep_text(struct case_file *file, const char *text, size_t size)
{
    bool ended = size != 0 && text[size - 1] == '\n';
    file->text = malloc(size + 2);
    if (file->text == NULL)
        return false;
    if (size != 0)
        memcpy(file->text, text, size);
    file->size = size + !ended;
    memcpy(file->text + size, "\n", 2);
    return true;
}

static bool parse(const char *path, const char *whole, const char *text, size_t size,
                  struct case_file *file, struct error *error)
{
    struct reading reading = {.file = {.path = path, .error = error}, .whole = whole, .to = file};
    file->path = text_copy_all(path);
    bool good = file->path != NULL && keep_text(file, text, size);
    if (good) {
        file_path_normalise(file->path);
        reading.file.yaml = yaml_reading_begin(file->text, file->size);
        good = reading.file.yaml != NULL;
    }
    good = good ? read_document(&reading) : file_no_memory(&reading.file);
    yaml_reading_end(reading.file.yaml);
    free(reading.foreign_name);
    return good;
}

bool case_file_parse(const char *path, const char *text, size_t size, struct case_file *file,
                     struct error *error)
{
    return parse(path, NULL, text, size, file, error);
}

bool case_file_read_part(const char *path, const char *config, struct case_file *file,
                         struct error *error)
{
    char *bytes;
    size_t size;
    if (!config_file_load(path, &bytes, &size, error))
        return false;
    bool good = parse(path, config, bytes, size, file, error);
    free(bytes);
    return good;
}

bool case_file_read(const char *path, struct case_file *file, struct error *error)
{
    return case_file_read_part(path, NULL, file, error);
}
