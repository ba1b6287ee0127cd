#include "collector/control/control_answer.h"

#include <stdint.h>
#include <string.h>

#include "collector/text/control_character.h"
#include "collector/text/json_reader.h"
#include "collector/text/utf8.h"

/*
 * Reads the name and value of the answer's only member. Returns false if the answer has another
 * form.
 */
static bool read_member(const char *answer, size_t size, struct json_item *member)
{
    struct json_reader reader;
    json_reader_begin(&reader, answer, size);
    reader.lenient = true;
    return json_read(&reader, member) && json_read(&reader, member) &&
           member->type == JSON_STRING && member->name.data == answer + 2 &&
           member->at == member->name.data + member->name.size + 2 && reader.end - reader.at == 1 &&
           *reader.at == '}';
}

static bool copy_what(struct text name, char what[CONTROL_WHAT_SIZE])
{
    if (name.size == 0 || name.size >= CONTROL_WHAT_SIZE)
        return false;
    memcpy(what, name.data, name.size);
    what[name.size] = '\0';
    return strspn(what, "abcdefghijklmnopqrstuvwxyz") == name.size;
}

static void answer_put_text(struct output *out, struct text text)
{
    while (text.size != 0) {
        uint8_t bytes[4];
        bool valid;
        size_t size = json_text_next(&text, (char *)bytes);
        utf8_sequence(bytes, size, &valid);
        if (valid && (bytes[0] == '\n' || control_character_at(bytes, size) == 0))
            output_bytes(out, bytes, size);
        else
            output_literal(out, "\xef\xbf\xbd");
    }
}

bool control_answer_read(const char *answer, size_t size, char what[CONTROL_WHAT_SIZE],
                         struct output *text)
{
    struct json_item member;
    if (!read_member(answer, size, &member) || !copy_what(member.name, what))
        return false;
    answer_put_text(text, member.text);
    return !text->overflow;
}
