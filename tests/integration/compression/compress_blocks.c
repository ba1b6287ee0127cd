/*
 * Compresses standard input, or reports how many of its bytes are complete frames. Only for
 * test_compression.py.
 *
 *   compress_blocks                 prints the names of the compressions, one on each line
 *   compress_blocks NAME SIZE       compresses each SIZE bytes of the input as a frame to standard
 *                                   output
 *   compress_blocks NAME whole      prints the number of bytes in whole frames of the input, a file
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/platform/process.h"
#include "sinks/compression/compressions.h"

static void fail(const char *why)
{
    fprintf(stderr, "compress_blocks: %s\n", why);
    exit(EXIT_FAILURE);
}

static struct compression *create(const char *name)
{
    struct compression *compression = NULL;
    for (size_t i = 0; builtin_compressions[i] != NULL; i++)
        if (strcmp(builtin_compressions[i]->name, name) == 0)
            compression = builtin_compressions[i]->create();
    if (compression == NULL)
        fail("there is no such compression");
    return compression;
}

static void compress_input(struct compression *compression, size_t block)
{
    size_t capacity = compression->ops->bound(block);
    char *in = malloc(block), *out = malloc(capacity);
    size_t size;
    if (in == NULL || out == NULL)
        fail("memory is short");
    while ((size = fread(in, 1, block, stdin)) != 0) {
        size_t frame = compression->ops->compress(compression, in, size, out, capacity);
        if (frame == 0 || fwrite(out, 1, frame, stdout) != frame)
            fail("a block cannot be compressed or written");
    }
    free(in);
    free(out);
}

static size_t read_input(void *context, uint64_t offset, void *bytes, size_t size)
{
    return fseek(context, (long)offset, SEEK_SET) == 0 ? fread(bytes, 1, size, context) : 0;
}

static void print_whole(struct compression *compression)
{
    if (fseek(stdin, 0, SEEK_END) != 0)
        fail("the input is not a file");
    struct compression_file file = {
        .read = read_input, .context = stdin, .size = (uint64_t)ftell(stdin)};
    printf("%" PRId64 "\n", compression->ops->whole(compression, &file));
}

int program_main(int argc, char **argv)
{
    if (argc == 1) {
        for (size_t i = 0; builtin_compressions[i] != NULL; i++)
            puts(builtin_compressions[i]->name);
    } else if (argc == 3) {
        struct compression *compression = create(argv[1]);
        if (strcmp(argv[2], "whole") == 0)
            print_whole(compression);
        else
            compress_input(compression, strtoul(argv[2], NULL, 10));
        compression->ops->destroy(compression);
    } else {
        fail("usage: compress_blocks [NAME SIZE|NAME whole]");
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
