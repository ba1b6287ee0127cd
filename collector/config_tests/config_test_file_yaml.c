/* Reads a file of tests (collector/config_tests/config_test_file.h). */
#include <stdlib.h>
#include <string.h>

#include "collector/config/file.h"
#include "collector/config_tests/config_test_file.h"
#include "collector/config_tests/config_test_parts.h"
#include "collector/platform/file_system.h"
#include "collector/text/copy.h"

struct reading {
    struct file_reading file;
    const char *whole; /* path of the configuration that names this file in its list `files`; NULL
                        * if no configuration does */
    struct config_test_file *to;
    /* Position of the file's first key that is an option of the collector; line 0: there is
     * none. */
    struct provenance_mark foreign;
    char *foreign_name;
};

/* --- a test ----------------------------------------------------------------------------------- */

static bool take_test_value(struct reading *reading, const struct config_test_key *key,
                            struct config_test *test)
{
    switch (key->id) {
    case CONFIG_TEST_KEY_NAME:
        return config_test_read_word(&reading->file, key, &test->name);
    case CONFIG_TEST_KEY_LISTENER:
        return config_test_read_word(&reading->file, key, &test->listener);
    case CONFIG_TEST_KEY_HOSTNAME:
        return config_test_read_word(&reading->file, key, &test->hostname);
    case CONFIG_TEST_KEY_INPUT:
        return config_test_read_inputs(&reading->file, key, test);
    default:
        return config_test_read_expectations(&reading->file, key, test);
    }
}

static bool check_test(const struct reading *reading, const struct config_test *test)
{
    if (test->name.data == NULL)
        return file_refuse(&reading->file, test->mark, "name is missing in this test");
    if (test->input_count == 0)
        return file_refuse(&reading->file, test->mark, "input is missing in this test");
    return true;
}

static bool begins_with_brace(const struct config_test_file *file, struct provenance_mark mark)
{
    size_t at = config_test_file_at(file, mark);
    return at < file->size && file->text[at] == '{';
}

/* Notes the line of the next YAML event as the end of the key `expect`, if `expect` was read. */
static void note_expect_end(struct config_test *test, const struct yaml_piece *piece)
{
    if (test->expect_line != 0 && test->expect_end == 0)
        test->expect_end = piece->mark.line;
}

static bool read_test_keys(struct reading *reading, struct config_test *test)
{
    struct config_test_given given = {.lines = {0}};
    for (;;) {
        if (!file_next(&reading->file))
            return false;
        note_expect_end(test, &reading->file.piece);
        if (reading->file.piece.kind == PIECE_MAP_END)
            break;
        const struct provenance_mark mark = reading->file.piece.mark;
        const struct config_test_key *key =
            config_test_read_key(&reading->file, CONFIG_TEST_OF_TEST, &given);
        if (key == NULL)
            return false;
        if (test->mark.line == 0)
            test->mark = mark;
        if (key->id == CONFIG_TEST_KEY_EXPECT)
            test->expect_line = mark.line;
        if (!file_next(&reading->file) || !take_test_value(reading, key, test))
            return false;
    }
    if (test->mark.line == 0)
        test->mark = reading->file.piece.mark;
    if (test->expect_line == 0)
        test->expect_line = test->expect_end = reading->file.piece.mark.line;
    test->expect_column = test->mark.column;
    return check_test(reading, test);
}

static bool read_test(struct reading *reading)
{
    struct config_test_file *to = reading->to;
    if (reading->file.piece.kind != PIECE_MAP)
        return file_wrong_piece(&reading->file, "a test: a map with name and input");
    struct config_test *test =
        config_test_add_element(&reading->file, &to->tests, &to->count, sizeof *test);
    if (test == NULL)
        return false;
    test->in_braces = begins_with_brace(to, reading->file.piece.mark);
    return read_test_keys(reading, test);
}

static bool read_tests(struct reading *reading, const struct config_test_key *key)
{
    if (reading->file.piece.kind != PIECE_LIST)
        return file_wrong_kind(&reading->file, key->name, FILE_LIST_DUE);
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_LIST_END)
            return true;
        if (!read_test(reading))
            return false;
    }
    return false;
}

/* --- the file --------------------------------------------------------------------------------- */

static bool take_config(struct reading *reading, const struct config_test_key *key)
{
    struct config_test_text text = {.data = NULL};
    bool good = config_test_read_word(&reading->file, key, &text);
    if (good) {
        reading->to->config = config_test_file_path(reading->to, text.data);
        good = reading->to->config != NULL || file_no_memory(&reading->file);
    }
    free(text.data);
    return good;
}

/* Skips an option of the collector, which is allowed only if the file is a configuration. */
static bool pass_option(struct reading *reading)
{
    const struct yaml_piece *piece = &reading->file.piece;
    if (file_piece_is(&reading->file, CONFIG_FILE_MORE))
        reading->to->names_more = true;
    if (reading->foreign.line == 0) {
        reading->foreign = piece->mark;
        reading->foreign_name = text_copy(piece->text, piece->length);
        if (reading->foreign_name == NULL)
            return file_no_memory(&reading->file);
    }
    return file_next(&reading->file) && file_skip(&reading->file);
}

static bool read_file_pair(struct reading *reading, struct config_test_given *given)
{
    const struct yaml_piece *piece = &reading->file.piece;
    if (piece->kind == PIECE_TEXT &&
        config_test_key_named(CONFIG_TEST_OF_FILE, piece->text, piece->length) == NULL)
        return pass_option(reading);
    const struct config_test_key *key =
        config_test_read_key(&reading->file, CONFIG_TEST_OF_FILE, given);
    if (key == NULL || !file_next(&reading->file))
        return false;
    return key->id == CONFIG_TEST_KEY_CONFIG ? take_config(reading, key) : read_tests(reading, key);
}

static bool check_test_file(struct reading *reading)
{
    static const struct provenance_mark begin = {1, 1};
    struct config_test_file *to = reading->to;
    if (to->config != NULL && reading->foreign_name != NULL)
        return config_test_unknown_key(&reading->file, CONFIG_TEST_OF_FILE, reading->foreign_name,
                                       strlen(reading->foreign_name), reading->foreign);
    if (to->count == 0 && !to->names_more && reading->whole == NULL)
        return file_refuse(&reading->file, begin,
                           "there are no tests in this file; write a list \"tests\"");
    if (to->config == NULL)
        to->config = text_copy_all(reading->whole != NULL ? reading->whole : to->path);
    return to->config != NULL || file_no_memory(&reading->file);
}

static bool read_document(struct reading *reading)
{
    struct config_test_given given = {.lines = {0}};
    if (!file_next(&reading->file))
        return false;
    if (reading->file.piece.kind == PIECE_END)
        return check_test_file(reading);
    if (reading->file.piece.kind != PIECE_MAP)
        return file_wrong_piece(&reading->file, "a map with \"tests\"");
    while (file_next(&reading->file)) {
        if (reading->file.piece.kind == PIECE_MAP_END)
            return file_next(&reading->file) && check_test_file(reading);
        if (!read_file_pair(reading, &given))
            return false;
    }
    return false;
}

/*
 * Copies the text and appends a line end if the last line has none, because recording works on
 * whole lines.
 */
static bool keep_text(struct config_test_file *file, const char *text, size_t size)
{
    bool ended = size != 0 && text[size - 1] == '\n';
    file->text = malloc(size + sizeof "\r\n");
    if (file->text == NULL)
        return false;
    if (size != 0)
        memcpy(file->text, text, size);
    file->size = size;
    const char *line_end = ended ? "" : config_test_file_line_end(file);
    strcpy(file->text + size, line_end);
    file->size += strlen(line_end);
    return true;
}

/*
 * Returns true for UTF-16, which is refused: recording would mix parts of the text with its own
 * parts, which are UTF-8.
 */
static bool is_utf16(const char *text, size_t size)
{
    return size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0);
}

static bool parse_test_file(const char *path, const char *whole, const char *text, size_t size,
                            struct config_test_file *file, struct error *error)
{
    struct reading reading = {.file = {.path = path, .error = error}, .whole = whole, .to = file};
    if (is_utf16(text, size)) {
        error_set(error, EXIT_CODE_CONFIG, "%s:1:1: is UTF-16; save it as UTF-8 for its tests",
                  path);
        return false;
    }
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

bool config_test_file_parse(const char *path, const char *text, size_t size,
                            struct config_test_file *file, struct error *error)
{
    return parse_test_file(path, NULL, text, size, file, error);
}

bool config_test_file_read_part(const char *path, const char *config, struct config_test_file *file,
                                struct error *error)
{
    char *bytes;
    size_t size;
    if (!config_file_load(path, &bytes, &size, error))
        return false;
    bool good = parse_test_file(path, config, bytes, size, file, error);
    free(bytes);
    return good;
}

bool config_test_file_read(const char *path, struct config_test_file *file, struct error *error)
{
    return config_test_file_read_part(path, NULL, file, error);
}
