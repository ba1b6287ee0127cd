#include "collector/capture/capture_file.h"

#include <stdbool.h>
#include <stdlib.h>

#include "collector/base/rule.h"
#include "collector/capture/capture_input.h"
#include "collector/capture/pcap_file.h"
#include "collector/capture/pcapng_file.h"

struct capture_file {
    struct capture_input input;
    bool header_read;
    bool over;
    bool is_pcapng;
    struct pcap_file pcap;
    struct pcapng_file pcapng;
    uint8_t frame[CAPTURE_FRAME_MAX];
};

static int read_format(struct capture_file *file, struct error *error)
{
    struct capture_input *input = &file->input;
    uint8_t magic[4];
    size_t got = capture_input_read(input, magic, sizeof magic);
    if (input->last == INPUT_FAILED) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be read: %s", input->path,
                  input->failure.text);
        return -1;
    }
    if (got == 0) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: is empty, no capture file", input->path);
        return -1;
    }
    if (got < sizeof magic) {
        error_set(error, EXIT_CODE_BAD_INPUT, "%s: is too short for a capture file", input->path);
        return -1;
    }
    if (pcap_file_recognises(magic))
        return pcap_file_open(&file->pcap, input, magic, error);
    if (pcapng_file_recognises(magic)) {
        file->is_pcapng = true;
        return pcapng_file_open(&file->pcapng, input, error);
    }
    error_set(error, EXIT_CODE_BAD_INPUT,
              "%s: is neither pcap nor pcapng (its first bytes are %02x %02x %02x %02x)",
              input->path, magic[0], magic[1], magic[2], magic[3]);
    return -1;
}

static int read_header(struct capture_file *file, struct error *error)
{
    file->header_read = true;
    return read_format(file, error);
}

int capture_file_open(const char *path, struct capture_file **out, struct error *error)
{
    struct capture_file *file = calloc(1, sizeof *file);
    if (file == NULL) {
        error_set(error, EXIT_CODE_INTERNAL, "%s: out of memory", path);
        return -1;
    }
    if (capture_input_open(&file->input, path, error) != 0 ||
        (!input_file_is_live(file->input.file) && read_header(file, error) != 0)) {
        capture_file_close(file);
        return -1;
    }
    *out = file;
    return 0;
}

int capture_file_check(const char *path, struct error *error)
{
    bool live;
    struct capture_file *file;
    if (input_file_look(path, &live, error) != 0)
        return -1;
    if (live)
        return 0;
    if (capture_file_open(path, &file, error) != 0)
        return -1;
    capture_file_close(file);
    return 0;
}

void capture_file_on_wait(struct capture_file *file, void (*waiting)(void *context), void *context)
{
    file->input.waiting = waiting;
    file->input.context = context;
}

struct capture_position capture_file_position(const struct capture_file *file)
{
    return (struct capture_position){file->input.offset, input_file_size(file->input.file)};
}

static enum capture_file_result read_next(struct capture_file *file, struct capture_frame *frame,
                                          struct error *error)
{
    if (!file->header_read && read_header(file, error) != 0)
        return CAPTURE_FILE_DAMAGED;
    if (file->is_pcapng)
        return pcapng_file_next(&file->pcapng, &file->input, file->frame, frame, error);
    return pcap_file_next(&file->pcap, &file->input, file->frame, frame, error);
}

enum capture_file_result capture_file_next(struct capture_file *file, struct capture_frame *frame,
                                           struct error *error)
{
    RULE(!file->over, "a capture is read until its end");
    enum capture_file_result result = read_next(file, frame, error);
    file->over = result != CAPTURE_FILE_FRAME;
    /* A read that was cancelled usually ends within a record; the file is not damaged. */
    if (result == CAPTURE_FILE_DAMAGED && file->input.last == INPUT_CANCELLED)
        return CAPTURE_FILE_END;
    return result;
}

void capture_file_cancel(struct capture_file *file)
{
    input_file_cancel(file->input.file);
}

void capture_file_close(struct capture_file *file)
{
    if (file == NULL)
        return;
    pcapng_file_close(&file->pcapng);
    capture_input_close(&file->input);
    free(file);
}
