#include "collector/config/file_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collector/base/rule.h"

bool file_parse_error(const struct file_reading *reading, struct provenance_mark mark,
                      const struct parse_error *fault)
{
    error_set(reading->error, fault->no_memory ? EXIT_CODE_INTERNAL : EXIT_CODE_CONFIG,
              "%s:%zu:%zu: %s", reading->path, mark.line, mark.column, fault->text);
    return false;
}

bool file_refuse(const struct file_reading *reading, struct provenance_mark mark,
                 const char *format, ...)
{
    struct parse_error fault = {.at = 0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    return file_parse_error(reading, mark, &fault);
}

bool file_wrong_piece(const struct file_reading *reading, const char *due)
{
    return file_refuse(reading, reading->piece.mark, "this must be %s, not %s", due,
                       file_piece_name(reading));
}

bool file_wrong_kind(const struct file_reading *reading, const char *name, const char *due)
{
    return file_refuse(reading, reading->piece.mark, "\"%s\" must be %s, not %s", name, due,
                       file_piece_name(reading));
}

bool file_note_line(const struct file_reading *reading, const char *name, size_t *line)
{
    if (*line != 0)
        return file_refuse(reading, reading->piece.mark, "\"%s\" is given twice; first on line %zu",
                           name, *line);
    *line = reading->piece.mark.line;
    return true;
}

bool file_piece_is(const struct file_reading *reading, const char *name)
{
    const struct yaml_piece *piece = &reading->piece;
    return name != NULL && piece->kind == PIECE_TEXT && strlen(name) == piece->length &&
           memcmp(name, piece->text, piece->length) == 0;
}

bool file_no_memory(const struct file_reading *reading)
{
    error_set(reading->error, EXIT_CODE_INTERNAL, "not enough memory");
    return false;
}

bool file_next(struct file_reading *reading)
{
    struct parse_error fault;
    struct provenance_mark mark = {1, 1};
    return yaml_reading_next(reading->yaml, &reading->piece, &fault, &mark) ||
           file_parse_error(reading, mark, &fault);
}

bool file_skip(struct file_reading *reading)
{
    size_t open = 0;
    for (;;) {
        switch (reading->piece.kind) {
        case PIECE_LIST:
        case PIECE_MAP:
            open++;
            break;
        case PIECE_LIST_END:
        case PIECE_MAP_END:
            RULE(open != 0, "the end of a list or map follows its begin");
            open--;
            break;
        case PIECE_TEXT:
        case PIECE_END:
            break;
        }
        if (open == 0)
            return true;
        if (!file_next(reading))
            return false;
    }
}

const char *file_piece_name(const struct file_reading *reading)
{
    switch (reading->piece.kind) {
    case PIECE_TEXT:
        return reading->piece.length == 0 ? "empty" : "a text";
    case PIECE_LIST:
        return "a list";
    case PIECE_MAP:
        return "a map";
    case PIECE_LIST_END:
    case PIECE_MAP_END:
    case PIECE_END:
        break;
    }
    return "the end";
}
