#include "collector/senders/sender_key_line.h"

#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/text/base64.h"
#include "collector/text/digit.h"
#include "collector/text/hex.h"
#include "collector/text/text.h"
#include "collector/text/utc_time.h"

#define ID_DIGITS      16
#define KEY_DIGITS     (2 * SEALED_KEY_SIZE)
#define KEY_CHARACTERS 44 /* length of a key as base64 */

/* --- words ------------------------------------------------------------------------------------ */

/* Removes the next word from `rest` and returns it; the word is empty at the end of the line. */
static struct text take_word(struct text *rest)
{
    while (rest->size != 0 && (*rest->data == ' ' || *rest->data == '\t'))
        *rest = (struct text){rest->data + 1, rest->size - 1};
    size_t size = 0;
    while (size < rest->size && rest->data[size] != ' ' && rest->data[size] != '\t')
        size++;
    struct text word = {rest->data, size};
    *rest = (struct text){rest->data + size, rest->size - size};
    return word;
}

static bool read_hex(struct text word, uint8_t *bytes, size_t size)
{
    if (word.size != 2 * size)
        return false;
    for (size_t i = 0; i < size; i++) {
        int high = hex_digit_value(word.data[2 * i]), low = hex_digit_value(word.data[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

/* --- fields ----------------------------------------------------------------------------------- */

static bool is_alphanumeric(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name(struct text word)
{
    if (word.size == 0 || word.size >= SENDER_KEY_NAME_SIZE || !is_alphanumeric(word.data[0]))
        return false;
    for (size_t i = 0; i < word.size; i++)
        if (!is_alphanumeric(word.data[i]) && memchr("._-", word.data[i], 3) == NULL)
            return false;
    return true;
}

bool sender_key_is_name(const char *name)
{
    return is_name((struct text){name, strlen(name)});
}

static bool read_id(struct text word, uint64_t *id)
{
    uint8_t bytes[ID_DIGITS / 2];
    if (!read_hex(word, bytes, sizeof bytes))
        return false;
    *id = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        *id = *id << 8 | bytes[i];
    return *id != 0;
}

bool sender_key_id_parse(const char *text, uint64_t *id)
{
    return read_id((struct text){text, strlen(text)}, id);
}

static bool read_key(struct text word, uint8_t key[SEALED_KEY_SIZE])
{
    uint8_t bytes[KEY_CHARACTERS / 4 * 3];
    size_t used;
    if (word.size == KEY_DIGITS)
        return read_hex(word, key, SEALED_KEY_SIZE);
    bool good = word.size == KEY_CHARACTERS &&
                base64_decode(word.data, word.size, bytes, &used) == word.size &&
                used == SEALED_KEY_SIZE;
    if (good)
        memcpy(key, bytes, SEALED_KEY_SIZE);
    secure_clear(bytes, sizeof bytes);
    return good;
}

/*
 * Reads a word NAME=TIME. Returns false if the word has another form, or if NAME was given
 * before.
 */
static bool read_time(struct text word, const char *name, int64_t unset_ns, int64_t *ns)
{
    char time[40];
    size_t length = strlen(name);
    if (word.size <= length || word.size - length >= sizeof time ||
        memcmp(word.data, name, length) != 0 || *ns != unset_ns)
        return false;
    memcpy(time, word.data + length, word.size - length);
    time[word.size - length] = '\0';
    return utc_time_parse(time, ns);
}

static const char *read_times(struct text *rest, struct sender_key_line *out)
{
    for (struct text word = take_word(rest); word.size != 0; word = take_word(rest))
        if (!read_time(word, "not-before=", INT64_MIN, &out->not_before_ns) &&
            !read_time(word, "not-after=", INT64_MAX, &out->not_after_ns))
            return "the key may be followed by not-before=TIME and not-after=TIME, each once, with "
                   "a time like 2026-11-21T06:43:36Z";
    return out->not_before_ns > out->not_after_ns ? "not-before= is later than not-after=" : NULL;
}

const char *sender_key_line_parse(const char *line, size_t size, struct sender_key_line *out)
{
    struct text rest = {line, size};
    struct text name = take_word(&rest);
    *out = (struct sender_key_line){.not_before_ns = INT64_MIN, .not_after_ns = INT64_MAX};
    if (!is_name(name))
        return "a line begins with a sender's name: up to 63 letters, digits, '.', '_' and '-', "
               "first a letter or a digit";
    memcpy(out->name, name.data, name.size);
    if (!read_id(take_word(&rest), &out->id))
        return "the name is followed by the key's id: 16 hexadecimal digits, not all 0";
    if (!read_key(take_word(&rest), out->key))
        return "the id is followed by the key: 32 bytes as base64 or as 64 hexadecimal digits";
    return read_times(&rest, out);
}

void sender_key_line_put(struct output *out, const struct sender_key_line *line)
{
    uint8_t id[ID_DIGITS / 2];
    for (size_t i = 0; i < sizeof id; i++)
        id[i] = (uint8_t)(line->id >> 8 * (sizeof id - 1 - i));
    output_bytes(out, line->name, strlen(line->name));
    output_char(out, ' ');
    hex_put(out, id, sizeof id);
    output_char(out, ' ');
    base64_put(out, line->key, sizeof line->key);
}
