/*
 * Fuzzes the reading of sealed datagrams, keys files and state files.
 *
 * Fields of the envelope: 1 a datagram; 2 a keys file; 3 a state file.
 *
 * If a datagram opens, sealing its payload must give the same datagram. A key that was read must be
 * the same after it was written and read again. The reason of a refusal must be one line. The C
 * client must read the same keys files, and its sealed datagrams must open. A state file that was
 * read must be the same bytes after it was written again.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/base/byte_order.h"
#include "collector/framing/sealed.h"
#include "collector/platform/machine.h"
#include "collector/senders/keys_file.h"
#include "collector/senders/seal_image.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"
#include "tools/client/sluice_seal.h"

enum { PART_DATAGRAM = 1, PART_KEYS = 2, PART_STATE = 3 };

static void *room_for(size_t size)
{
    void *bytes = malloc(size == 0 ? 1 : size);
    if (bytes == NULL)
        abort();
    return bytes;
}

/* --- datagrams -------------------------------------------------------------------------------- */

/* The key of the test vectors in the manual; their datagrams are the first inputs. */
static const struct sealed_key *page_key(void)
{
    static struct sealed_key key;
    uint8_t bytes[SEALED_KEY_SIZE];
    struct error error;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)i;
    EXPECT(sealed_load(&error) == 0, "%s", error.text);
    sealed_key_derive(bytes, &key);
    return &key;
}

static void check_datagram(const struct envelope_part *part)
{
    struct sealed_header header;
    uint8_t head[SEALED_HEADER_SIZE];
    if (sealed_read(part->bytes, part->size, &header) != CAUSE_UNKNOWN)
        return;
    sealed_write(&header, head);
    EXPECT(memcmp(head, part->bytes, sizeof head) == 0, "the header is another when written");
    size_t size = part->size - SEALED_OVERHEAD;
    uint8_t *payload = room_for(size), *again = room_for(part->size);
    if (sealed_open(page_key(), header.mode, part->bytes, part->size, payload)) {
        sealed_seal(page_key(), &header, payload, size, again);
        EXPECT(memcmp(again, part->bytes, part->size) == 0, "what opens is not what is sealed");
    }
    free(payload);
    free(again);
}

/* --- keys files ------------------------------------------------------------------------------- */

/* The keys of one file. */
struct seen_keys {
    size_t count;
    struct sender_key_line first;
    bool several; /* the keys have different names */
};

static const char *check_key(void *context, const struct sender_key_line *line)
{
    char text[SENDER_KEY_LINE_SIZE];
    struct output out = {.data = text, .capacity = sizeof text};
    struct sender_key_line again;
    struct seen_keys *seen = context;
    if (seen->count++ == 0)
        seen->first = *line;
    seen->several = seen->several || strcmp(seen->first.name, line->name) != 0;
    EXPECT(sender_key_is_name(line->name) && line->id != 0, "a key without a name or an id");
    EXPECT(line->not_before_ns <= line->not_after_ns, "a key that is never valid");
    sender_key_line_put(&out, line);
    EXPECT(!out.overflow, "a line is longer than its size");
    const char *fault = sender_key_line_parse(text, out.used, &again);
    EXPECT(fault == NULL, "a line that is written is refused: %s", fault);
    EXPECT(strcmp(line->name, again.name) == 0 && line->id == again.id &&
               memcmp(line->key, again.key, sizeof line->key) == 0,
           "a line that is written is another key");
    return NULL;
}

/*
 * Checks that a datagram that the client seals with the file's only key opens with the key that the
 * collector read.
 */
static void check_sealer(struct sluice_sealer *sealer, const struct seen_keys *seen)
{
    uint8_t datagram[SEALED_OVERHEAD + 1] = {[SEALED_HEADER_SIZE] = 7}, payload = 0;
    struct sealed_header header;
    struct sealed_key key;
    struct error error;
    EXPECT(sealed_load(&error) == 0, "%s", error.text);
    EXPECT(sealer->begin(sealer) == 0, "a new sealer is not free");
    if (sealer->seal(sealer, datagram, 1) == 0) { /* fails if the key is not valid now */
        EXPECT(sealed_read(datagram, sizeof datagram, &header) == CAUSE_UNKNOWN &&
                   header.key_id == seen->first.id,
               "the client's datagram is of another key");
        sealed_key_derive(seen->first.key, &key);
        EXPECT(sealed_open(&key, header.mode, datagram, sizeof datagram, &payload) && payload == 7,
               "the client's datagram does not open");
    }
    sealer->end(sealer);
}

/*
 * Checks that the client accepts each file that the collector accepts, if all keys in it have the
 * same name.
 */
static void check_client(const struct envelope_part *part, const struct seen_keys *seen, bool read)
{
    char why[SLUICE_SEALER_WHY];
    struct memory_file file;
    memory_file_make(&file, part->bytes, part->size);
    EXPECT(fchmod(file.descriptor, S_IRUSR | S_IWUSR) == 0, "a file has no mode");
    struct sluice_sealer *sealer = sluice_sealer_open(file.path, NULL, SLUICE_SEAL_ENCRYPTED, why);
    memory_file_close(&file);
    bool zero = part->size != 0 && memchr(part->bytes, 0, part->size) != NULL;
    bool wanted =
        read && seen->count != 0 && !seen->several && !zero && seen->count <= SLUICE_SEAL_KEYS_MOST;
    EXPECT((sealer != NULL) == wanted, "the client %s a file that the collector %s: %s",
           sealer != NULL ? "reads" : "refuses", wanted ? "reads" : "refuses", why);
    EXPECT(sealer != NULL || (why[0] != '\0' && strchr(why, '\n') == NULL), "no reason: %s", why);
    if (sealer != NULL && seen->count == 1)
        check_sealer(sealer, seen);
    sluice_sealer_close(sealer);
}

static void check_keys(const struct envelope_part *part)
{
    struct seen_keys seen = {.count = 0};
    struct error error = {.text = ""};
    const struct keys_file file = {
        .path = "keys", .bytes = (char *)part->bytes, .size = part->size, .room = part->size};
    EXPECT(keys_file_lines(&file) >= 1, "a file has a line");
    bool read = keys_file_each(&file, check_key, &seen, &error) == 0;
    if (!read)
        EXPECT(strncmp(error.text, "keys: line ", 11) == 0 && strchr(error.text, '\n') == NULL,
               "a refusal without its line: %s", error.text);
    check_client(part, &seen, read);
}

/* --- state files ------------------------------------------------------------------------------ */

/*
 * Replaces the checksum of mutated bytes by the correct one, because otherwise almost all would be
 * refused.
 */
static uint8_t *with_checksum(const struct envelope_part *part)
{
    uint8_t *bytes = room_for(part->size);
    if (part->size != 0)
        memcpy(bytes, part->bytes, part->size);
    if (part->size >= 4)
        put_little_u32(bytes + part->size - 4, crc32c(0, bytes, part->size - 4));
    return bytes;
}

static void check_state(const struct envelope_part *part)
{
    struct seal_image_reader reader;
    struct seal_image again = {.bytes = NULL};
    struct seal_sessions sessions;
    uint64_t id;
    uint8_t *bytes = with_checksum(part);
    if (seal_image_open(bytes, part->size, &reader) == NULL) {
        seal_image_begin(&again, reader.stopped, reader.floor_ns);
        while (seal_image_next(&reader, &id, &sessions)) {
            seal_image_add(&again, id, &sessions);
            seal_sessions_take(&sessions, 1, 1, INT64_MAX); /* allows any sessions to continue */
        }
        EXPECT(seal_image_end(&again), "no memory");
        EXPECT(again.size == part->size && memcmp(again.bytes, bytes, again.size) == 0,
               "a state file is another when written");
    }
    free(again.bytes);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    const struct envelope_part *part;
    envelope_read(&envelope, data, size);
    if ((part = envelope_bytes(&envelope, PART_DATAGRAM, 0)) != NULL)
        check_datagram(part);
    if ((part = envelope_bytes(&envelope, PART_KEYS, 0)) != NULL)
        check_keys(part);
    if ((part = envelope_bytes(&envelope, PART_STATE, 0)) != NULL)
        check_state(part);
    envelope_free(&envelope);
    return 0;
}
