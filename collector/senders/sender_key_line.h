/*
 * Parses and writes a line of a keys file: `NAME KEYID KEY [not-before=TIME] [not-after=TIME]`.
 *
 * NAME is 1 to 63 letters, digits, `.`, `_` and `-`, and begins with a letter or a digit. KEYID is
 * 16 hexadecimal digits, not all 0. KEY is 32 bytes as base64 or 64 hexadecimal digits. TIME is as
 * utc_time.h has it. Words are separated by spaces and tabs.
 *
 * Pure functions; any thread.
 */
#ifndef SLUICE_COLLECTOR_SENDERS_SENDER_KEY_LINE_H
#define SLUICE_COLLECTOR_SENDERS_SENDER_KEY_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/framing/sealed.h"
#include "collector/text/output.h"

/* Bytes of a sender's name, including its NUL. */
#define SENDER_KEY_NAME_SIZE 64

/* The upper limit in bytes of a line that sender_key_line_put writes. */
#define SENDER_KEY_LINE_SIZE 256

/* Contains a secret: clear it after use (secure_clear.h). */
struct sender_key_line {
    char name[SENDER_KEY_NAME_SIZE];
    uint64_t id;
    uint8_t key[SEALED_KEY_SIZE];
    int64_t not_before_ns; /* beginning of the validity; INT64_MIN means always */
    int64_t not_after_ns;  /* last time of the validity; INT64_MAX means for ever */
};

/* Returns true if the text can be a sender's name. */
bool sender_key_is_name(const char *name);

/* Reads a KEYID. Returns false if the text is not a KEYID. */
bool sender_key_id_parse(const char *text, uint64_t *id);

/*
 * Parses a line of `size` bytes, without its line break. Returns NULL with *out filled, or the
 * fault as a constant text that contains nothing of the line.
 */
const char *sender_key_line_parse(const char *line, size_t size, struct sender_key_line *out);

/* Appends name, id and key (as base64), without times and line break. */
void sender_key_line_put(struct output *out, const struct sender_key_line *line);

#endif
