/* Reads the key `files` of a configuration file: the list of further files to read. */
#include <string.h>

#include "collector/config/file.h"
#include "collector/config/file_parts.h"

static bool wrong_file_list(const struct file_reading *reading, const char *why)
{
    return file_refuse(reading, reading->piece.mark, "%s", why);
}

static bool add_name(struct file_reading *reading)
{
    const struct yaml_piece *piece = &reading->piece;
    struct parse_error fault;
    if (piece->kind != PIECE_TEXT || piece->length == 0)
        return wrong_file_list(reading, "an item of \"" CONFIG_FILE_MORE
                                        "\" is the path of a file or a folder");
    if (memchr(piece->text, '*', piece->length) != NULL)
        return wrong_file_list(reading,
                               "a pattern is not a path; name the folder, whose files *.yaml and "
                               "*.yml are read in the order of their names");
    return file_names_add(reading->more, reading->path, piece->mark, piece->text, piece->length,
                          &fault) ||
           file_parse_error(reading, piece->mark, &fault);
}

bool file_read_more(struct file_reading *reading)
{
    if (reading->more == NULL)
        return wrong_file_list(reading,
                               "only the file of --config can name more \"" CONFIG_FILE_MORE "\"");
    if (!file_note_line(reading, CONFIG_FILE_MORE, &reading->given->more_line))
        return false;
    if (!file_next(reading))
        return false;
    if (reading->piece.kind == PIECE_TEXT && reading->piece.length != 0)
        return add_name(reading);
    if (reading->piece.kind != PIECE_LIST)
        return wrong_file_list(reading, "\"" CONFIG_FILE_MORE
                                        "\" is a list of paths (each item begins with \"- \")");
    while (file_next(reading)) {
        if (reading->piece.kind == PIECE_LIST_END)
            return true;
        if (!add_name(reading))
            return false;
    }
    return false;
}
