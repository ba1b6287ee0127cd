/*
 * Fuzzes the start of a file sink with a file of an earlier run. A part of a rotating sink is
 * completed (sinks/files/left_files.h), and a plain file is appended to.
 *
 * Fields of the envelope: 1 the format; 2 the compression (0: none); 3 the schema; 4 datagrams, one
 * for each record; 5 the number of the file's bytes that are kept (default: all); 6 damage: the
 * byte at offset (value / 256) is changed by the rest of the value; 7 other bytes in place of the
 * file.
 *
 * A complete file of the program must be accepted. If it was cut, it must be accepted up to its
 * last whole record or frame. The kept bytes of any file must be its first ones, and the next start
 * must keep all of them. A refused file must not be changed. In a format of lines, only an
 * incomplete line may be removed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/output_file.h"
#include "sinks/compression/compressions.h"
#include "sinks/files/left_files.h"
#include "sinks/sinks.h"
#include "tests/fuzz/envelope.h"
#include "tests/fuzz/quiet.h"
#include "tests/fuzz/readers/frame.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/scratch_folder.h"
#include "tests/fuzz/target.h"

enum {
    PART_FORMAT = 1,
    PART_COMPRESSION = 2,
    PART_SCHEMA = 3,
    PART_DATAGRAM = 4,
    PART_CUT = 5,
    PART_DAMAGE = 6,
    PART_BYTES = 7,
};

#define ROOM         ((size_t)8 * 1024 * 1024)
#define MOST_RECORDS 16

/* A file that the program wrote, and the ends of its head and of each record or frame. */
struct made {
    struct output bytes;
    size_t ends[MOST_RECORDS + 2];
    size_t count, head_size;
};

static struct output room[3];

static void make_room(void)
{
    for (size_t i = 0; i < 3; i++) {
        if (room[i].data == NULL && (room[i].data = malloc(ROOM)) == NULL)
            abort();
        room[i] = (struct output){.data = room[i].data, .capacity = ROOM};
    }
}

/* --- settings that the input chooses ---------------------------------------------------------- */

static const struct encoder_ops *format_of(const struct envelope *envelope)
{
    size_t count = 0;
    uint64_t choice = envelope_value(envelope, PART_FORMAT, 0);
    const struct encoder_ops *of_files[32];
    for (size_t i = 0; builtin_encoders[i] != NULL && count < 32; i++)
        if (builtin_encoders[i]->whole != NULL)
            of_files[count++] = builtin_encoders[i];
    return of_files[choice % count];
}

/* Returns the compression, which is created for the first input that uses it, and kept. */
static struct compression *compression_of(const struct envelope *envelope)
{
    static struct compression *made[8];
    size_t count = 0;
    while (builtin_compressions[count] != NULL)
        count++;
    uint64_t choice = envelope_value(envelope, PART_COMPRESSION, 0) % (count + 1);
    if (choice == 0)
        return NULL;
    if (made[choice] == NULL && (made[choice] = builtin_compressions[choice - 1]->create()) == NULL)
        abort();
    return made[choice];
}

/* --- a file of ours --------------------------------------------------------------------------- */

static void put(struct made *made, const struct file_content *content, const char *bytes,
                size_t size)
{
    struct output *to = &made->bytes;
    if (size == 0 || size > COMPRESSION_INPUT_MAX)
        return;
    if (content->compression == NULL) {
        output_bytes(to, bytes, size);
    } else {
        size_t frame = content->compression->ops->compress(
            content->compression, bytes, size, to->data + to->used, to->capacity - to->used);
        EXPECT(frame != 0 && frame <= content->compression->ops->bound(size),
               "a frame of %zu bytes of %zu", frame, size);
        to->used += frame;
    }
    made->ends[made->count++] = to->used;
}

static void put_record(struct made *made, const struct file_content *content,
                       struct encoder *encoder, const struct decoding *decoding,
                       const struct envelope_part *part)
{
    static const struct listener listener = {.name = "udp://127.0.0.1:5555"};
    struct packet packet = {.data = part->bytes, .size = (uint32_t)part->size};
    struct record record = {.listener = &listener,
                            .schema = decoding->schema,
                            .message = decoding->decoded.message,
                            .data = part->bytes,
                            .packet = &packet,
                            .size = (uint32_t)part->size,
                            .source = address_from_ipv4((const uint8_t[]){192, 0, 2, 1}, 40000),
                            .received_ns = INT64_C(1700000000123456789)};
    packet.destination = address_from_ipv4((const uint8_t[]){192, 0, 2, 2}, 5555);
    struct output *block = &room[1], *whole = &room[2];
    block->used = 0;
    block->overflow = false;
    encoder->ops->encode(encoder, &listener, &record, block);
    if (block->overflow || block->used == 0)
        return;
    if (encoder->ops->arrange == NULL) {
        put(made, content, block->data, block->used);
        return;
    }
    whole->used = 0;
    encoder->ops->arrange(encoder, block->data, block->used, whole);
    if (made->count == 0) /* a file has one arranged head */
        put(made, content, whole->data, whole->used);
}

static void make_file(struct made *made, const struct envelope *envelope,
                      const struct file_content *content)
{
    static const struct encoder_options options = {.host = "a host"};
    struct schema *schema = builtin_schema(envelope_value(envelope, PART_SCHEMA, 0));
    struct encoder *encoder = content->encoder->create(&options);
    const struct envelope_part *part;
    if (encoder == NULL)
        abort();
    *made = (struct made){.bytes = room[0]};
    if (encoder->ops->begin != NULL) {
        encoder->ops->begin(encoder, &room[1]);
        put(made, content, room[1].data, room[1].used);
        made->head_size = made->bytes.used;
    }
    for (size_t i = 0;
         i < MOST_RECORDS && (part = envelope_bytes(envelope, PART_DATAGRAM, i)) != NULL; i++) {
        struct decoding decoding;
        if (part->size <= UINT16_MAX &&
            checked_decode(&decoding, schema, part->bytes, part->size)) {
            if (!encoder->ops->needs_samples || schema->has_samples)
                put_record(made, content, encoder, &decoding, part);
            checked_forget(&decoding);
        } else if (part->size <= UINT16_MAX) {
            checked_forget(&decoding);
        }
    }
    encoder->ops->destroy(encoder);
}

/*
 * Returns the end of the last whole record or frame within `size` bytes. In formats of lines, each
 * line is a record.
 */
static size_t whole_of(const struct made *made, const struct file_content *content, size_t size)
{
    size_t whole = 0;
    if (content->compression == NULL && !content->encoder->binary &&
        content->encoder->arrange == NULL) {
        for (whole = size; whole != 0 && made->bytes.data[whole - 1] != '\n'; whole--)
            ;
        return whole;
    }
    for (size_t i = 0; i < made->count; i++)
        if (made->ends[i] <= size)
            whole = made->ends[i];
    return whole;
}

/* --- the next start --------------------------------------------------------------------------- */

/* Returns true if the file was accepted. Then *kept is the number of its bytes that were kept. */
static bool finish_part(const struct file_content *content, const uint8_t *bytes, size_t size,
                        size_t *kept)
{
    static const struct file_options none;
    static struct counter blocked;
    char path[SCRATCH_PATH_SIZE], name[SCRATCH_PATH_SIZE];
    struct path_template *template;
    struct error error = {0};
    size_t at, after;
    const char *why;
    scratch_empty();
    scratch_write("file.part", bytes, size);
    scratch_file("file", path);
    scratch_file("file.part", name);
    if (!path_template_parse(path, &template, &at, &why))
        abort();
    struct finished_files *finished = finished_files_create(template, &none, 1, &blocked);
    const struct complete_part left = {.name = name, .path = path};
    if (finished == NULL)
        abort();
    enum left_result result = left_file_finish(content, &left, finished, &error);
    EXPECT(result == LEFT_DONE || result == LEFT_FOREIGN, "result %d: %s", (int)result, error.text);
    uint8_t *there = scratch_read(result == LEFT_DONE ? "file" : "file.part", &after);
    EXPECT(there != NULL || (result == LEFT_DONE && content->head_size <= size + ROOM),
           "a file that is refused is gone");
    EXPECT(there == NULL || (after <= size && memcmp(there, bytes, after) == 0),
           "it is not what it began with");
    EXPECT(result == LEFT_DONE || after == size, "a file that is refused was cut");
    *kept = after; /* 0 if the file was removed, because it had no record */
    free(there);
    finished_files_destroy(finished);
    path_template_free(template);
    return result == LEFT_DONE;
}

static bool append_to(const struct file_content *content, const uint8_t *bytes, size_t size,
                      size_t *kept)
{
    const struct output_file_format format = {.name = content->encoder->name,
                                              .line = content->encoder->line,
                                              .whole = content->encoder->whole,
                                              .unmarked = content->encoder->unmarked};
    char path[SCRATCH_PATH_SIZE];
    struct output_file *file;
    struct output_file_start start;
    struct error error;
    bool lines = !content->encoder->binary;
    scratch_empty();
    scratch_write("file", bytes, size);
    scratch_file("file", path);
    bool taken = output_file_open_append(path, 0, &format, &file, &start, &error) == 0;
    uint8_t *there = scratch_read("file", kept);
    EXPECT(taken || error.code == EXIT_CODE_CANNOT_CREATE, "exit code %d: %s", (int)error.code,
           error.text);
    EXPECT(there != NULL && (taken || *kept == size), "a file that is refused was cut");
    if (taken && start.torn == TORN_LINE_ENDED)
        EXPECT(lines && *kept == size + 1 && there[size] == '\n', "a line is not ended");
    else
        EXPECT(*kept <= size && memcmp(there, bytes, *kept) == 0, "it is not what it began with");
    EXPECT(!taken || start.torn != TORN_LINE_NONE || *kept == size, "it was cut without a word");
    if (taken)
        output_file_close(file);
    free(there);
    return taken;
}

/* --- checks ----------------------------------------------------------------------------------- */

typedef bool next_start(const struct file_content *content, const uint8_t *bytes, size_t size,
                        size_t *kept);

/* Checks that in a format of lines only bytes after the last newline were removed. */
static void check_lines(const uint8_t *bytes, size_t size, size_t kept)
{
    size_t last = size;
    while (last != 0 && bytes[last - 1] != '\n')
        last--;
    EXPECT(kept >= last, "%zu bytes of %zu whole ones are kept", kept, last);
}

static void check_any(const struct file_content *content, const uint8_t *bytes, size_t size,
                      next_start *start)
{
    size_t kept, again;
    if (!start(content, bytes, size, &kept))
        return;
    if (content->compression == NULL && !content->encoder->binary && kept != 0 &&
        content->encoder->arrange == NULL)
        check_lines(bytes, size, kept);
    if (kept == 0 || kept > size)
        return;
    EXPECT(start(content, bytes, kept, &again) && again == kept,
           "of %zu bytes that were kept %zu are kept the next time", kept, again);
}

/* Returns true if the file is text. In a binary format, such a file is not changed. */
static bool is_text(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] < ' ' && strchr("\t\r\n", bytes[i]) == NULL) || bytes[i] == 0)
            return false;
    return true;
}

static bool is_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static void check_ours(const struct made *made, const struct file_content *content, size_t size,
                       next_start *start, bool part)
{
    const uint8_t *bytes = (const uint8_t *)made->bytes.data;
    size_t kept, whole = whole_of(made, content, size);
    bool taken = start(content, bytes, size, &kept);
    if (part && whole <= made->head_size) /* a part without a record is removed */
        whole = 0;
    if (!taken && content->encoder->binary && content->compression == NULL && is_text(bytes, size))
        return;
    /*
     * An incomplete record is not certain to be the program's own if there is no whole record
     * before it, or only empty ones.
     */
    if (!taken && !part && (whole <= made->head_size || is_zeros(bytes, whole)))
        return;
    EXPECT(taken, "%s: our own file of %zu bytes, cut after %zu, is refused",
           content->encoder->name, made->bytes.used, size);
    EXPECT(kept == whole, "%s: of our own file, cut after %zu, %zu bytes are kept, not %zu",
           content->encoder->name, size, kept, whole);
}

/* In a damaged file of the program, checks that the last kept frame can be decompressed. */
static void check_last_frame(const struct made *made, const struct file_content *content,
                             size_t size)
{
    const uint8_t *bytes = (const uint8_t *)made->bytes.data;
    size_t kept, begin = 0;
    if (!finish_part(content, bytes, size, &kept))
        return;
    for (size_t i = 0; i < made->count; i++)
        if (made->ends[i] == kept)
            EXPECT(frames_are_sound(content->compression->ops->name, bytes + begin, kept - begin),
                   "%s: the last frame is kept, and is damaged", content->compression->ops->name);
        else
            begin = made->ends[i];
}

static void change_bytes(const struct envelope *envelope, struct output *bytes)
{
    for (size_t i = 0; i < envelope->count; i++) {
        const struct envelope_part *part = &envelope->parts[i];
        if (part->number == PART_DAMAGE && part->bytes == NULL && bytes->used != 0)
            bytes->data[(part->value >> 8) % bytes->used] ^= (char)part->value;
    }
}

static void check_file(const struct envelope *envelope, struct file_content *content)
{
    const struct envelope_part *any = envelope_bytes(envelope, PART_BYTES, 0);
    struct made made;
    make_file(&made, envelope, content);
    content->head_size = made.head_size;
    uint64_t cut = envelope_value(envelope, PART_CUT, made.bytes.used);
    size_t size = (size_t)(cut % (made.bytes.used + 1));
    check_ours(&made, content, size, finish_part, true);
    if (content->compression == NULL && content->encoder->arrange == NULL)
        check_ours(&made, content, size, append_to, false);
    change_bytes(envelope, &made.bytes);
    if (content->compression != NULL)
        check_last_frame(&made, content, size);
    const uint8_t *bytes = any != NULL ? any->bytes : (const uint8_t *)made.bytes.data;
    size = any != NULL ? any->size : size;
    check_any(content, bytes, size, finish_part);
    if (content->compression == NULL)
        check_any(content, bytes, size, append_to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct envelope envelope;
    quiet();
    make_room();
    envelope_read(&envelope, data, size);
    struct file_content content = {.name = "a sink",
                                   .encoder = format_of(&envelope),
                                   .compression = compression_of(&envelope),
                                   .sync = SYNC_NEVER};
    check_file(&envelope, &content);
    envelope_free(&envelope);
    return 0;
}
