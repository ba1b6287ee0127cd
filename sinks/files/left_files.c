#include "sinks/files/left_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"

/* Bytes of one read: more than the largest record. */
#define WINDOW_SIZE ((size_t)2 * 1024 * 1024)

void file_content_format(const struct file_content *content, char text[FILE_CONTENT_TEXT_SIZE])
{
    const struct compression *compression = content->compression;
    snprintf(text, FILE_CONTENT_TEXT_SIZE, "format=%s%s%s", content->encoder->name,
             compression != NULL ? "&compress=" : "",
             compression != NULL ? compression->ops->name : "");
}

/* --- how much of a file is complete ----------------------------------------------------------- */

/*
 * Returns true if bytes at the beginning of a file, or at its torn end, can be the beginning of a
 * line of this sink. This need not be certain, because the file's name already makes it likely that
 * the sink wrote the file.
 */
static bool can_be_line(const struct encoder_ops *encoder, const uint8_t *bytes, size_t size)
{
    if (encoder->line == NULL || size == 0 || bytes[0] == '\0')
        return true;
    if (size > OUTPUT_LINE_LOOK)
        size = OUTPUT_LINE_LOOK;
    const uint8_t *newline = memchr(bytes, '\n', size);
    const uint8_t *nul = memchr(bytes, '\0', size); /* may be left by a power cut */
    if (newline != NULL)
        size = (size_t)(newline - bytes) + 1;
    else if (nul != NULL)
        size = (size_t)(nul - bytes);
    return encoder->line(bytes, size) != OUTPUT_LINE_FOREIGN;
}

/* Returns the size of all complete records, or -1 if there is other content or an error. */
static int64_t whole_records(struct part_file *part, const struct encoder_ops *encoder)
{
    uint8_t *window = malloc(WINDOW_SIZE);
    uint64_t size = part_file_size(part);
    uint64_t at = 0;
    bool foreign = window == NULL;
    while (!foreign && at < size) {
        size_t want = size - at < WINDOW_SIZE ? (size_t)(size - at) : WINDOW_SIZE;
        bool strange = part_file_read(part, at, window, want) != want;
        size_t whole = strange ? 0 : encoder->whole(window, want, at == 0, &strange);
        foreign = strange || (whole == 0 && want == WINDOW_SIZE) ||
                  (at == 0 && !can_be_line(encoder, window, want)) ||
                  (want < WINDOW_SIZE && !can_be_line(encoder, window + whole, want - whole));
        at += whole;
        if (whole == 0 || want < WINDOW_SIZE)
            break;
    }
    free(window);
    return foreign ? -1 : (int64_t)at;
}

static size_t read_part(void *context, uint64_t offset, void *bytes, size_t size)
{
    return part_file_read(context, offset, bytes, size);
}

/*
 * Returns true if a file without a complete frame can be the beginning of a frame. Otherwise the
 * file is kept, because it may be from a time without compression. NULs may be left by a power cut.
 */
static bool begins_as_a_frame(struct part_file *part, const struct compression *compression)
{
    unsigned char begin[COMPRESSION_MAGIC_SIZE];
    size_t size = part_file_read(part, 0, begin, sizeof begin);
    return size == 0 || begin[0] == '\0' || memcmp(begin, compression->ops->magic, size) == 0;
}

/* Returns the size of all complete frames, or -1 if there is other content or an error. */
static int64_t whole_frames(struct part_file *part, struct compression *compression)
{
    const struct compression_file file = {
        .read = read_part, .context = part, .size = part_file_size(part)};
    int64_t whole = compression->ops->whole(compression, &file);
    /* A torn end has at most one frame. More bytes are damaged or other content. */
    bool strange = whole < 0 ||
                   file.size - (uint64_t)whole > compression->ops->bound(COMPRESSION_INPUT_MAX) ||
                   (whole == 0 && !begins_as_a_frame(part, compression));
    return strange ? -1 : whole;
}

/* --- finishing a file ------------------------------------------------------------------------- */

static enum left_result complete(const struct file_content *content,
                                 const struct complete_part *part, uint64_t cut,
                                 struct finished_files *finished, struct error *error)
{
    char name[FILE_NAME_SIZE];
    char torn[100] = "";
    if (cut != 0)
        snprintf(torn, sizeof torn, "; cut off the %" PRIu64 " bytes at its end that were torn",
                 cut);
    switch (finished_files_add(finished, part, name, error)) {
    case PART_DONE:
        log_about(LOG_WARNING, LOG_OF_SINK, content->name,
                  "completed %s, which an earlier run left behind%s", name, torn);
        return LEFT_DONE;
    case PART_BUSY:
        log_about(LOG_WARNING, LOG_OF_SINK, content->name, "%s was left behind by an earlier run%s",
                  name, torn);
        return LEFT_WAITS;
    case PART_MISSING:
        part_file_close(part->file);
        return LEFT_DONE;
    default:
        part_file_close(part->file);
        return LEFT_BUSY;
    }
}

enum left_result left_file_finish(const struct file_content *content,
                                  const struct complete_part *left, struct finished_files *finished,
                                  struct error *error)
{
    struct complete_part whole_part = *left;
    struct part_file *part;
    switch (part_file_open_left(left->name, &part, error)) {
    case PART_DONE:
        break;
    case PART_LOCKED:
        return LEFT_LOCKED;
    case PART_MISSING:
    case PART_TAKEN:
        return LEFT_DONE;
    case PART_BUSY:
        return LEFT_BUSY;
    case PART_SHORT:
    case PART_REFUSED:
    case PART_FAILED:
        return LEFT_FAILED;
    }
    int64_t whole = content->compression != NULL ? whole_frames(part, content->compression)
                                                 : whole_records(part, content->encoder);
    if (whole < 0) {
        part_file_close(part);
        return LEFT_FOREIGN;
    }
    uint64_t cut = part_file_size(part) - (uint64_t)whole;
    if ((uint64_t)whole <= content->head_size)
        return part_file_remove(part, error) ? LEFT_DONE : LEFT_BUSY;
    if (cut != 0 && !part_file_cut(part, (uint64_t)whole, error)) {
        part_file_close(part);
        return LEFT_FAILED;
    }
    if (content->sync != SYNC_NEVER && !part_file_sync(part, error)) {
        part_file_close(part);
        return LEFT_FAILED;
    }
    whole_part.file = part;
    return complete(content, &whole_part, cut, finished, error);
}

/* --- all incomplete files --------------------------------------------------------------------- */

struct finishing {
    const struct file_content *content;
    struct finished_files *finished;
    uint32_t number; /* number in the names of the files that this walk finishes */
    uint32_t next;   /* smallest number that a walk has found and that is still to be finished */
};

static void note_finished(void *context, const struct found_file *file)
{
    struct finishing *finishing = context;
    finished_files_found(finishing->finished, file);
    if (file->part && file->match->number < finishing->next)
        finishing->next = file->match->number;
}

static void finish(void *context, const struct found_file *file)
{
    struct finishing *finishing = context;
    const struct file_content *content = finishing->content;
    uint32_t number = file->match->number;
    char format[FILE_CONTENT_TEXT_SIZE];
    struct error error;
    if (file->part && number > finishing->number && number < finishing->next)
        finishing->next = number;
    if (!file->part || number != finishing->number)
        return;
    const struct complete_part left = {.name = file->path,
                                       .path = file->match->bare,
                                       .number = number,
                                       .begun_ns = file->modified_ns};
    switch (left_file_finish(content, &left, finishing->finished, &error)) {
    case LEFT_DONE:
    case LEFT_LOCKED:
    case LEFT_WAITS:
        break;
    case LEFT_FOREIGN:
        file_content_format(content, format);
        log_about(LOG_WARNING, LOG_OF_SINK, content->name,
                  "%s is not a file of %s; it stays as it is", file->path, format);
        break;
    case LEFT_BUSY:
    case LEFT_FAILED:
        log_about(LOG_WARNING, LOG_OF_SINK, content->name, "%s stays as it is: %s", file->path,
                  error.text);
        break;
    }
}

void left_files_finish(const struct file_content *content, const struct path_template *path,
                       struct finished_files *finished)
{
    struct finishing finishing = {.content = content, .finished = finished};
    if (finished_files_are_limited(finished)) {
        finishing.next = UINT32_MAX;
        file_walk(path, note_finished, &finishing);
    }
    /*
     * One walk for each number, so that the files of a path are finished in the order of their
     * numbers, the oldest first. Usually there are no numbers.
     */
    while (finishing.next != UINT32_MAX) {
        finishing.number = finishing.next;
        finishing.next = UINT32_MAX;
        file_walk(path, finish, &finishing);
    }
}
