#include "collector/program/spill_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/output/delivery_label.h"
#include "collector/output/spill_blocks.h"
#include "collector/platform/file_system.h"
#include "collector/text/json_writer.h"

static const char usage[] = "spill: usage: sluice spill list FOLDER, or sluice spill export "
                            "[--format NAME] FOLDER";

/* The blocks of a spill that have the same label. */
struct part {
    char label[DELIVERY_LABEL_SIZE];
    uint64_t blocks, records, bytes;
    int64_t oldest_ns, newest_ns;
};

struct command {
    const char *format; /* the format to export, or NULL if not chosen */
    struct part *parts;
    size_t count;
    bool has_begun; /* the head has been written */
};

/* --- counting blocks -------------------------------------------------------------------------- */

static struct part *spill_part(struct command *command, const char *label)
{
    for (size_t i = 0; i < command->count; i++)
        if (strcmp(command->parts[i].label, label) == 0)
            return &command->parts[i];
    struct part *larger = realloc(command->parts, (command->count + 1) * sizeof *command->parts);
    if (larger == NULL)
        return NULL;
    command->parts = larger;
    struct part *part = &larger[command->count++];
    *part = (struct part){.oldest_ns = INT64_MAX, .newest_ns = INT64_MIN};
    snprintf(part->label, sizeof part->label, "%s", label);
    return part;
}

static bool count_block(void *context, const struct spilled_block *block, struct error *error)
{
    struct part *part = spill_part(context, block->label);
    if (part == NULL) {
        error_no_memory(error);
        return false;
    }
    part->blocks++;
    part->records += block->records;
    part->bytes += block->size;
    if (block->sealed_ns < part->oldest_ns)
        part->oldest_ns = block->sealed_ns;
    if (block->sealed_ns > part->newest_ns)
        part->newest_ns = block->sealed_ns;
    return true;
}

/*
 * Writes the format, which is the first line of the label. Writes "unknown" for a block of an
 * earlier version, which has no label.
 */
static void format_of(const char *label, char format[64])
{
    if (label[0] == '\0')
        label = "unknown";
    snprintf(format, 64, "%.*s", (int)strcspn(label, "\n"), label);
}

static void print_time(int64_t time_ns)
{
    char text[64];
    struct output out = {.data = text, .capacity = sizeof text};
    json_time(&out, time_ns);
    printf("%.*s", (int)(out.used > 2 ? out.used - 2 : 0), text + 1); /* without the quotes */
}

static void print_part(const struct part *part)
{
    char words[DELIVERY_LABEL_WORDS_SIZE];
    delivery_label_describe(part->label, words);
    printf("%" PRIu64 " record%s in %" PRIu64 " block%s, %" PRIu64 " bytes, %s, from ",
           part->records, part->records == 1 ? "" : "s", part->blocks, part->blocks == 1 ? "" : "s",
           part->bytes, words);
    print_time(part->oldest_ns);
    fputs(" to ", stdout);
    print_time(part->newest_ns);
    putchar('\n');
}

/* --- exporting blocks ------------------------------------------------------------------------- */

static bool spill_write_all(const char *bytes, size_t size, struct error *error)
{
    if (fwrite(bytes, 1, size, stdout) == size)
        return true;
    error_set(error, EXIT_CODE_IO, "cannot write to standard output");
    return false;
}

/* Writes the file's head (such as a csv header) before the first record of the export. */
static bool export_block(void *context, const struct spilled_block *block, struct error *error)
{
    struct command *command = context;
    char format[64];
    format_of(block->label, format);
    if (strcmp(format, command->format) != 0)
        return true;
    bool begun = command->has_begun;
    command->has_begun = true;
    return (begun || spill_write_all(block->head, block->head_size, error)) &&
           spill_write_all(block->bytes, block->size, error);
}

/* Stores the format of the spill in `format`. Returns false if the spill has several formats. */
static bool spill_choose_command(struct command *command, char format[64])
{
    char other[64];
    for (size_t i = 0; i < command->count; i++) {
        format_of(command->parts[i].label, other);
        if (i != 0 && strcmp(other, format) != 0)
            return false;
        memcpy(format, other, sizeof other);
    }
    command->format = format;
    return true;
}

/* --- the whole command ------------------------------------------------------------------------ */

static enum exit_code spill_fail(enum exit_code code, const char *text)
{
    log_line(LOG_ERROR, "%s", text);
    return code;
}

static enum exit_code spill_report(const char *folder, const struct spill_blocks *blocks)
{
    if (blocks->strange != 0)
        log_line(LOG_WARNING,
                 "spill %s: not read: %" PRIu64
                 " file%s named like a segment that %s not belong to "
                 "this spill",
                 folder, blocks->strange, blocks->strange == 1 ? "" : "s",
                 blocks->strange == 1 ? "does" : "do");
    if (blocks->missing == 0)
        return EXIT_CODE_OK;
    log_line(LOG_WARNING, "spill %s: %" PRIu64 " record%s missing, damaged or of another version",
             folder, blocks->missing, blocks->missing == 1 ? " is" : "s are");
    return EXIT_CODE_BAD_INPUT;
}

static enum exit_code spill_run(struct command *command, bool exports, const char *folder)
{
    struct error error;
    char format[64] = "";
    struct spill_blocks blocks = {.visit = count_block, .context = command};
    if (!folder_has(folder)) {
        log_line(LOG_ERROR, "spill %s: no such folder", folder);
        return EXIT_CODE_BAD_INPUT;
    }
    if (spill_blocks_visit(folder, &blocks, &error) != 0)
        return spill_fail(error.code, error.text);
    if (exports && command->format == NULL && !spill_choose_command(command, format)) {
        log_line(LOG_ERROR, "spill %s: has records of several formats; choose one with --format",
                 folder);
        return EXIT_CODE_USAGE;
    }
    for (size_t i = 0; !exports && i < command->count; i++)
        print_part(&command->parts[i]);
    if (exports) {
        blocks = (struct spill_blocks){.visit = export_block, .context = command};
        if (spill_blocks_visit(folder, &blocks, &error) != 0)
            return spill_fail(error.code, error.text);
    }
    if (fflush(stdout) != 0)
        return spill_fail(EXIT_CODE_IO, "cannot write to standard output");
    return spill_report(folder, &blocks);
}

enum exit_code spill_command(int argc, char *const *argv)
{
    struct command command = {0};
    bool exports = argc > 1 && strcmp(argv[1], "export") == 0;
    int at = 2;
    if (exports && argc > 3 && strcmp(argv[2], "--format") == 0) {
        command.format = argv[3];
        at = 4;
    }
    if (argc != at + 1 || argv[at][0] == '-' || (!exports && strcmp(argv[1], "list") != 0))
        return spill_fail(EXIT_CODE_USAGE, usage);
    enum exit_code code = spill_run(&command, exports, argv[at]);
    free(command.parts);
    return code;
}
