/*
 * Fuzzes schemas from files: a descriptor set, messages, and the keys of a listener.
 *
 * Fields of the envelope: 1 the set; 2 messages; 3 the message's name (if it is missing, field 11
 * selects a message of the set); 4 to 7 name=, value=, time=, labels=; 8 nested=; 9 sequence=; 10
 * sequence_key=; 12 bits of the encoders' options; 13 the path that is compared with value=*
 * (tests/fuzz/every_number.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/schemas.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/every_number.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/target.h"

enum {
    PART_SET = 1,
    PART_MESSAGE = 2,
    PART_TYPE = 3,
    PART_NAME = 4,
    PART_VALUE = 5,
    PART_TIME = 6,
    PART_LABELS = 7,
    PART_NESTED = 8,
    PART_SEQUENCE = 9,
    PART_SEQUENCE_KEY = 10,
    PART_CHOICE = 11,
    PART_OPTIONS = 12,
    PART_PATH = 13,
};

/*
 * Field numbers of descriptor.proto: the files of a set, the package and messages of a file, and
 * the name of a message.
 */
enum { SET_FILE = 1, FILE_PACKAGE = 2, FILE_MESSAGE = 4, MESSAGE_NAME = 1 };

/* --- a message of the set --------------------------------------------------------------------- */

static char *joined(char *package, char *name)
{
    char *both = malloc((package == NULL ? 0 : strlen(package)) + strlen(name) + 2);
    if (both == NULL)
        abort();
    sprintf(both, "%s%s%s", package == NULL ? "" : package, package == NULL ? "" : ".", name);
    free(package);
    free(name);
    return both;
}

/*
 * Returns the name of message number *choice of the file. If the file has fewer messages, subtracts
 * their number and returns NULL.
 */
static char *name_in_file(const struct envelope_part *part, size_t *choice)
{
    struct envelope file, message;
    char *name = NULL;
    envelope_read(&file, part->bytes, part->size);
    for (size_t i = 0; name == NULL; i++) {
        const struct envelope_part *inner = envelope_bytes(&file, FILE_MESSAGE, i);
        if (inner == NULL)
            break;
        if ((*choice)-- != 0)
            continue;
        envelope_read(&message, inner->bytes, inner->size);
        name = envelope_text(&message, MESSAGE_NAME, 0);
        envelope_free(&message);
        if (name == NULL)
            break;
        name = joined(envelope_text(&file, FILE_PACKAGE, 0), name);
    }
    envelope_free(&file);
    return name;
}

static char *name_in_set(const struct envelope *envelope, const struct envelope_part *part)
{
    struct envelope set;
    size_t choice = (size_t)envelope_value(envelope, PART_CHOICE, 0) % 64;
    char *name = NULL;
    envelope_read(&set, part->bytes, part->size);
    for (size_t i = 0; name == NULL; i++) {
        const struct envelope_part *file = envelope_bytes(&set, SET_FILE, i);
        if (file == NULL)
            break;
        name = name_in_file(file, &choice);
    }
    envelope_free(&set);
    return name;
}

/* --- the schema ------------------------------------------------------------------------------- */

static void check_error(const struct error *error)
{
    EXPECT(error->code == EXIT_CODE_CONFIG, "exit code %d", (int)error->code);
    EXPECT(error->text[0] != '\0' && strlen(error->text) < sizeof error->text, "no error text");
    for (const char *c = error->text; *c != '\0'; c++)
        EXPECT((unsigned char)*c >= ' ' && *c != 0x7f, "a control character: %s", error->text);
}

static struct schema *create(const struct envelope *envelope, const struct envelope_part *set)
{
    struct memory_file file;
    char *texts[PART_SEQUENCE_KEY + 1] = {0};
    memory_file_make(&file, set->bytes, set->size);
    for (uint32_t i = PART_TYPE; i <= PART_SEQUENCE_KEY; i++)
        texts[i] = envelope_text(envelope, i, 0);
    if (texts[PART_TYPE] == NULL)
        texts[PART_TYPE] = name_in_set(envelope, set);
    const struct schema_options options = {.source = file.path,
                                           .message = texts[PART_TYPE],
                                           .nested = texts[PART_NESTED],
                                           .sequence = texts[PART_SEQUENCE],
                                           .sequence_key = texts[PART_SEQUENCE_KEY],
                                           .name = texts[PART_NAME],
                                           .value = texts[PART_VALUE],
                                           .time = texts[PART_TIME],
                                           .labels = texts[PART_LABELS]};
    struct schema *schema = NULL;
    struct error error = {0};
    if (options.message != NULL && schema_file.create(&options, &schema, &error) != 0) {
        check_error(&error);
        schema = NULL;
    }
    for (size_t i = 0; i <= PART_SEQUENCE_KEY; i++)
        free(texts[i]);
    memory_file_close(&file);
    return schema;
}

/* --- an input --------------------------------------------------------------------------------- */

static void check_sequence(struct schema *schema, const struct sent *sent)
{
    struct decoding decoding;
    struct datagram_sequence sequence;
    if (checked_decode(&decoding, schema, sent->data, sent->size) &&
        schema->ops->sequence != NULL &&
        schema->ops->sequence(schema, decoding.decoded.message, &sequence))
        EXPECT(sequence.sender.size <= sent->size, "a sender longer than its datagram");
    checked_forget(&decoding);
}

static void check_messages(const struct envelope *envelope, struct schema *schema)
{
    uint64_t bits = envelope_value(envelope, PART_OPTIONS, 0);
    const struct encoder_options options = {.view = (enum sink_view)(bits % 4),
                                            .json = {.proto_names = (bits & 4) != 0,
                                                     .int64_numbers = (bits & 8) != 0,
                                                     .show_unknown = (bits & 16) != 0},
                                            .host = "a host"};
    struct sent sent[4];
    size_t count = 0;
    for (; count < 4; count++) {
        const struct envelope_part *part = envelope_bytes(envelope, PART_MESSAGE, count);
        if (part == NULL || part->size > UINT16_MAX)
            break;
        sent[count] = (struct sent){part->bytes, part->size};
        check_sequence(schema, &sent[count]);
    }
    check_datagrams(sent, count, schema, &options);
}

/* Only for inputs with PART_PATH, because it loads the set several times. */
static void check_numbers(const struct envelope *envelope, const struct envelope_part *set)
{
    const struct envelope_part *sent = envelope_bytes(envelope, PART_MESSAGE, 0);
    uint64_t choice = envelope_value(envelope, PART_PATH, 0);
    char *type = choice == 0 ? NULL : envelope_text(envelope, PART_TYPE, 0);
    if (choice != 0 && type == NULL)
        type = name_in_set(envelope, set);
    if (type != NULL && sent != NULL) {
        struct memory_file file;
        memory_file_make(&file, set->bytes, set->size);
        check_every_number(file.path, type, sent->bytes, sent->size, choice);
        memory_file_close(&file);
    }
    free(type);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    envelope_read(&envelope, data, size);
    const struct envelope_part *set = envelope_bytes(&envelope, PART_SET, 0);
    struct schema *schema = set == NULL ? NULL : create(&envelope, set);
    if (schema != NULL) {
        check_messages(&envelope, schema);
        schema->ops->destroy(schema);
        check_numbers(&envelope, set);
    }
    envelope_free(&envelope);
    return 0;
}
