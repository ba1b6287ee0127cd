#include "collector/config/yaml_reading.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "collector/base/rule.h"

struct yaml_reading {
    yaml_parser_t parser;
    yaml_event_t event;
    const char *text;
    size_t length;
    size_t depth; /* number of open maps and lists */
    bool has_event;
    bool has_begun;
    bool has_document;
};

struct yaml_reading *yaml_reading_begin(const char *text, size_t length)
{
    struct yaml_reading *reading = calloc(1, sizeof *reading);
    if (reading == NULL || yaml_parser_initialize(&reading->parser) == 0) {
        free(reading);
        return NULL;
    }
    reading->text = text;
    reading->length = length;
    yaml_parser_set_input_string(&reading->parser, (const unsigned char *)text, length);
    return reading;
}

void yaml_reading_end(struct yaml_reading *reading)
{
    if (reading == NULL)
        return;
    if (reading->has_event)
        yaml_event_delete(&reading->event);
    yaml_parser_delete(&reading->parser);
    free(reading);
}

const char *yaml_reading_version(void)
{
    return yaml_get_version_string();
}

/* --- errors ----------------------------------------------------------------------------------- */

static struct provenance_mark mark_of(const yaml_mark_t *mark)
{
    return (struct provenance_mark){mark->line + 1, mark->column + 1};
}

/* Returns the position of a byte. For invalid UTF-8 libyaml reports only the byte's offset. */
static struct provenance_mark mark_of_byte(const struct yaml_reading *reading, size_t at)
{
    struct provenance_mark mark = {1, 1};
    for (size_t i = 0; i < at && i < reading->length; i++) {
        unsigned char byte = (unsigned char)reading->text[i];
        if (byte == '\n')
            mark = (struct provenance_mark){mark.line + 1, 1};
        else
            mark.column += (byte & 0xc0) != 0x80;
    }
    return mark;
}

/* Returns true if the line above this one is a list element without a key, such as "- URL". */
static bool follows_plain_element(const struct yaml_reading *reading, size_t line)
{
    const char *at = reading->text;
    const char *end = reading->text + reading->length;
    for (size_t i = 2; i < line && at != NULL; i++) {
        at = memchr(at, '\n', (size_t)(end - at));
        at = at == NULL ? NULL : at + 1;
    }
    const char *stop = at == NULL ? NULL : memchr(at, '\n', (size_t)(end - at));
    if (line < 2 || stop == NULL)
        return false;
    while (at < stop && *at == ' ')
        at++;
    if (stop - at < 2 || at[0] != '-' || at[1] != ' ')
        return false;
    for (; at + 1 < stop; at++)
        if (at[0] == ':' && at[1] == ' ')
            return false;
    return true;
}

/* Returns advice about the usual cause of libyaml's error on that line, or "". */
static const char *hint(const struct yaml_reading *reading, const char *problem, size_t line)
{
    bool is_value = strstr(problem, "mapping values are not allowed") != NULL;
    if (is_value && follows_plain_element(reading, line))
        return "; a list element that has keys is a map: write \"- address: URL\" (\"- to: URL\" "
               "for a sink), and the keys below it";
    if (is_value)
        return "; put a text that contains \": \" or ends with \":\" in quotation marks";
    if (strstr(problem, "cannot start any token") != NULL)
        return "; indent with spaces, not tabs, and put a text that begins with a special "
               "character in quotation marks";
    if (strstr(problem, "did not find expected '-'") != NULL ||
        strstr(problem, "did not find expected key") != NULL)
        return "; the lines of a map, and the \"-\" of a list, begin in the same column";
    if (strstr(problem, "unknown escape character") != NULL)
        return "; in double quotation marks \"\\\" begins an escape: write a path with "
               "\"/\", or in single ones";
    if (strstr(problem, "tab character") != NULL)
        return "; indent with spaces, not tabs";
    if (strstr(problem, "did not find expected alphabetic or numeric character") != NULL)
        return "; put a text that begins with \"*\" or \"&\" in quotation marks";
    return "";
}

static bool not_yaml(const struct yaml_reading *reading, struct parse_error *fault,
                     struct provenance_mark *mark)
{
    const yaml_parser_t *parser = &reading->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return parse_error_no_memory(fault);
    const char *problem = parser->problem != NULL ? parser->problem : "unexpected end";
    *mark = parser->error == YAML_READER_ERROR ? mark_of_byte(reading, parser->problem_offset)
                                               : mark_of(&parser->problem_mark);
    parse_error_set(fault, 0, "not valid YAML: %s", problem);
    if (parser->context != NULL && parser->error != YAML_READER_ERROR)
        parse_error_append(fault, " %s that begins on line %zu", parser->context,
                           parser->context_mark.line + 1);
    parse_error_append(fault, "%s", hint(reading, problem, mark->line));
    return false;
}

static bool refuse_event(const struct yaml_reading *reading, struct parse_error *fault,
                         struct provenance_mark *mark, const char *text)
{
    *mark = mark_of(&reading->event.start_mark);
    return parse_error_set(fault, 0, "%s", text);
}

/*
 * Refuses %TAG directives by scanning the tokens, because the parser compares each directive with
 * all previous ones, which takes quadratic time.
 */
static bool has_no_tag_directive(const struct yaml_reading *reading, struct parse_error *fault,
                                 struct provenance_mark *mark)
{
    yaml_parser_t parser;
    yaml_token_t token;
    bool begins = true;
    bool found = false;
    if (yaml_parser_initialize(&parser) == 0)
        return parse_error_no_memory(fault);
    yaml_parser_set_input_string(&parser, (const unsigned char *)reading->text, reading->length);
    while (begins && !found && yaml_parser_scan(&parser, &token) != 0) {
        begins =
            token.type == YAML_STREAM_START_TOKEN || token.type == YAML_VERSION_DIRECTIVE_TOKEN;
        found = token.type == YAML_TAG_DIRECTIVE_TOKEN;
        *mark = mark_of(&token.start_mark);
        yaml_token_delete(&token);
    }
    yaml_parser_delete(&parser);
    return !found || parse_error_set(fault, 0, "tag directives are not supported");
}

/* --- pieces ----------------------------------------------------------------------------------- */

static bool take_text(struct yaml_reading *reading, struct yaml_piece *piece,
                      struct parse_error *fault, struct provenance_mark *mark)
{
    const yaml_event_t *event = &reading->event;
    bool quoted_text = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                       event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    size_t quotes = quoted_text ? 2 : 0;
    piece->kind = PIECE_TEXT;
    piece->text = (const char *)event->data.scalar.value;
    piece->length = event->data.scalar.length;
    if (memchr(piece->text, '\0', piece->length) != NULL)
        return refuse_event(reading, fault, mark, "a text contains a NUL character");
    size_t count = 0;
    for (size_t i = 0; i < piece->length; i++)
        count += ((unsigned char)piece->text[i] & 0xc0) != 0x80;
    piece->exact = event->start_mark.line == event->end_mark.line &&
                   event->end_mark.column - event->start_mark.column == count + quotes;
    piece->text_mark = piece->mark;
    piece->text_mark.column += quotes / 2;
    return true;
}

static bool is_anchored(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT &&
            event->data.sequence_start.anchor != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor != NULL);
}

static bool is_tagged(const yaml_event_t *event)
{
    return (event->type == YAML_SCALAR_EVENT && event->data.scalar.tag != NULL) ||
           (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.tag != NULL) ||
           (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.tag != NULL);
}

/*
 * Stores the kind of piece and returns true if the event is a text, the beginning or end of a list
 * or map, or the end of the YAML text. Returns false for events that are skipped.
 */
static bool is_piece(yaml_event_type_t type, enum yaml_kind *kind)
{
    switch (type) {
    case YAML_SCALAR_EVENT:
        *kind = PIECE_TEXT;
        return true;
    case YAML_SEQUENCE_START_EVENT:
        *kind = PIECE_LIST;
        return true;
    case YAML_SEQUENCE_END_EVENT:
        *kind = PIECE_LIST_END;
        return true;
    case YAML_MAPPING_START_EVENT:
        *kind = PIECE_MAP;
        return true;
    case YAML_MAPPING_END_EVENT:
        *kind = PIECE_MAP_END;
        return true;
    case YAML_STREAM_END_EVENT:
    case YAML_NO_EVENT:
        *kind = PIECE_END;
        return true;
    default:
        return false;
    }
}

/*
 * Refuses maps and lists that are nested too deeply, because libyaml's time for each event grows
 * with the depth.
 */
static bool is_too_deep(struct yaml_reading *reading)
{
    yaml_event_type_t type = reading->event.type;
    reading->depth += type == YAML_SEQUENCE_START_EVENT || type == YAML_MAPPING_START_EVENT;
    bool ends = type == YAML_SEQUENCE_END_EVENT || type == YAML_MAPPING_END_EVENT;
    RULE(!ends || reading->depth != 0, "the end of a list or map follows its begin");
    reading->depth -= ends;
    return reading->depth > YAML_DEPTH_MOST;
}

/*
 * Refuses the features of YAML that a configuration must not use. Returns true, with the fault
 * filled, if the event has one.
 */
static bool is_refused(struct yaml_reading *reading, struct parse_error *fault,
                       struct provenance_mark *mark)
{
    const yaml_event_t *event = &reading->event;
    const char *text = NULL;
    if (event->type == YAML_ALIAS_EVENT)
        text = "aliases are not supported; put a text that begins with \"*\" in quotation marks";
    else if (is_anchored(event))
        text = "anchors are not supported; put a text that begins with \"&\" in quotation marks";
    else if (is_tagged(event))
        text = "tags are not supported; put a text that begins with \"!\" in quotation marks";
    else if (event->type == YAML_DOCUMENT_START_EVENT && reading->has_document)
        text = "a second document begins here; only one is allowed";
    else if (is_too_deep(reading))
        text = "nested more than 100 levels deep";
    return text != NULL && !refuse_event(reading, fault, mark, text);
}

bool yaml_reading_next(struct yaml_reading *reading, struct yaml_piece *piece,
                       struct parse_error *fault, struct provenance_mark *mark)
{
    _Static_assert(YAML_DEPTH_MOST == 100, "as is_refused says");
    RULE(!reading->has_begun || reading->has_event, "a text is not read after an error");
    if (!reading->has_begun && !has_no_tag_directive(reading, fault, mark))
        return false;
    reading->has_begun = true;
    do {
        if (reading->has_event)
            yaml_event_delete(&reading->event);
        reading->has_event = yaml_parser_parse(&reading->parser, &reading->event) != 0;
        if (!reading->has_event)
            return not_yaml(reading, fault, mark);
        if (is_refused(reading, fault, mark))
            return false;
        if (reading->event.type == YAML_DOCUMENT_START_EVENT)
            reading->has_document = true;
    } while (!is_piece(reading->event.type, &piece->kind));
    piece->mark = mark_of(&reading->event.start_mark);
    return piece->kind != PIECE_TEXT || take_text(reading, piece, fault, mark);
}
