#include "collector/spill/cursor.h"

#include <string.h>

#include "collector/base/byte_order.h"
#include "collector/platform/machine.h"

/*
 * A slot, in little endian:
 *
 *   0  magic "SLA1" and four zero bytes
 *   8  the spill's random number (u64)
 *  16  position (u64)
 *  24  sequence (u64): the number of writes so far, with this one
 *  32  read (u64)
 *  40  end (u64) when the slot was written; 0 in slots of earlier versions
 *  48  kept (u64)
 *  56  zero
 *  60  CRC-32C of the preceding 60 bytes (u32)
 */
#define SLOT_SIZE ((size_t)64)
#define CHECKED   (SLOT_SIZE - 4)

/* Puts the slots into different sectors of any disk: a power cut may destroy a whole sector. */
#define SLOT_DISTANCE 4096

static const uint8_t magic[8] = "SLA1";

/*
 * Attempts to read a slot. Without the newer slot it is not known which blocks were sent since the
 * older slot was written.
 */
#define ATTEMPTS 3

static bool read_bytes(const struct cursor *cursor, unsigned slot, uint8_t bytes[SLOT_SIZE])
{
    size_t got;
    for (unsigned i = 0; i < ATTEMPTS; i++)
        if (data_file_read(cursor->file, (uint64_t)slot * SLOT_DISTANCE, bytes, SLOT_SIZE, &got,
                           NULL))
            return got == SLOT_SIZE;
    return false;
}

static bool read_slot(const struct cursor *cursor, unsigned slot, struct cursor_state *state,
                      uint64_t *sequence)
{
    uint8_t bytes[SLOT_SIZE];
    if (!read_bytes(cursor, slot, bytes) || memcmp(bytes, magic, sizeof magic) != 0 ||
        ordered_u32(BYTE_ORDER_LITTLE_ENDIAN, bytes + CHECKED) != crc32c(0, bytes, CHECKED))
        return false;
    *state = (struct cursor_state){.spill = little_u64(bytes + 8),
                                   .position = little_u64(bytes + 16),
                                   .read = little_u64(bytes + 32),
                                   .end = little_u64(bytes + 40),
                                   .kept = little_u64(bytes + 48)};
    *sequence = little_u64(bytes + 24);
    return true;
}

bool cursor_open(struct cursor *cursor, const char *path, struct cursor_state *state)
{
    *cursor = (struct cursor){0};
    cursor->is_open = data_file_open(path, &cursor->file, NULL) == DATA_FILE_DONE;
    bool found = false;
    for (unsigned slot = 0; cursor->is_open && slot < 2; slot++) {
        struct cursor_state one;
        uint64_t sequence;
        if (!read_slot(cursor, slot, &one, &sequence) || (found && sequence < cursor->sequence))
            continue;
        *state = one;
        cursor->sequence = sequence;
        found = true;
    }
    return found;
}

static bool get_file(struct cursor *cursor, const char *path, struct error *error)
{
    if (cursor->is_open)
        return true;
    enum data_file_result result = data_file_open(path, &cursor->file, error);
    if (result == DATA_FILE_MISSING)
        result = data_file_make(path, &cursor->file, error);
    if (result == DATA_FILE_TAKEN) /* another process has created the file since the open */
        error_set(error, EXIT_CODE_IO, "cannot create the cursor: the name is taken");
    cursor->is_open = result == DATA_FILE_DONE;
    return cursor->is_open;
}

bool cursor_write(struct cursor *cursor, const char *path, const struct cursor_state *state,
                  bool sync, struct error *error)
{
    uint8_t bytes[SLOT_SIZE] = {0};
    cursor->lacks_room = true;
    if (!get_file(cursor, path, error))
        return false;
    uint64_t sequence = cursor->sequence + 1;
    memcpy(bytes, magic, sizeof magic);
    put_little_u64(bytes + 8, state->spill);
    put_little_u64(bytes + 16, state->position);
    put_little_u64(bytes + 24, sequence);
    put_little_u64(bytes + 32, state->read);
    put_little_u64(bytes + 40, state->end);
    put_little_u64(bytes + 48, state->kept);
    put_little_u32(bytes + CHECKED, crc32c(0, bytes, CHECKED));
    const struct text piece = {(const char *)bytes, sizeof bytes};
    enum data_file_result result =
        data_file_write(cursor->file, sequence % 2 * SLOT_DISTANCE, &piece, 1, error);
    cursor->lacks_room = result == DATA_FILE_FULL;
    if (result != DATA_FILE_DONE || (sync && !data_file_sync(cursor->file, error)))
        return false;
    cursor->sequence = sequence;
    return true;
}

void cursor_close(struct cursor *cursor)
{
    if (cursor->is_open)
        data_file_close(cursor->file);
    cursor->is_open = false;
}
