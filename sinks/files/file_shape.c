#include "sinks/files/file_shape.h"

#include "collector/contract/compression.h"
#include "collector/contract/encoder.h"
#include "collector/platform/process.h"
#include "sinks/files/file_table.h"
#include "sinks/files/finished_files.h"

/*
 * Maximum number of full blocks for which there is memory: MOST_BLOCKS if paths have values,
 * TIME_BLOCKS if they have only times. If there are more files than full blocks, they share this
 * memory in chunks.
 */
#define MOST_BLOCKS 64
#define TIME_BLOCKS 2
#define CHUNK_SIZE  ((size_t)4 * 1024)

/*
 * Bounds for the number of open files of a sink, which is 1/PARTS_OF_OPEN of the limit of open
 * files. To open a file again takes ten times as long as to write a block of a few records.
 */
#define LEAST_OPEN    64
#define MOST_OPEN     1024
#define PARTS_OF_OPEN 64

/*
 * Sizes of each file's block. With many files a block has SMALL_BLOCK_SIZE, with few files
 * PLAIN_BLOCK_SIZE, and LARGE_BLOCK_SIZE if few files are compressed or sorted. A file that rotates
 * by size can only end between two blocks, so a block is at most 1/PARTS_OF_FILE of a file, but not
 * less than SMALL_BLOCK_SIZE.
 */
#define SMALL_BLOCK_SIZE ((size_t)64 * 1024)
#define PLAIN_BLOCK_SIZE ((size_t)256 * 1024)
#define LARGE_BLOCK_SIZE ((size_t)1024 * 1024)
#define PARTS_OF_FILE    16

size_t file_shape_paths(const struct path_template *path, const struct file_options *options)
{
    if (path_template_has_values(path))
        return (size_t)options->max_files;
    return path_template_has_time(path) ? TIME_BLOCKS : 1;
}

size_t file_shape_open(const struct destination_shape *shape)
{
    uint64_t part = descriptors_most() / PARTS_OF_OPEN;
    size_t most = part < LEAST_OPEN ? LEAST_OPEN : part > MOST_OPEN ? MOST_OPEN : (size_t)part;
    return shape->blocks < most ? shape->blocks : most;
}

size_t file_shape_frame_room(const struct destination_shape *shape,
                             const struct compression_ops *compression)
{
    size_t most = shape->arranged ? ARRANGED_SIZE : shape->block_size + LARGE_BLOCK_SIZE;
    return compression == NULL ? 0 : compression->bound(most);
}

static size_t plain_block_size(size_t blocks, uint64_t rotate_size)
{
    uint64_t part = rotate_size == 0 ? PLAIN_BLOCK_SIZE : rotate_size / PARTS_OF_FILE;
    if (blocks > TIME_BLOCKS || part < SMALL_BLOCK_SIZE)
        return SMALL_BLOCK_SIZE;
    return part < PLAIN_BLOCK_SIZE ? (size_t)part : PLAIN_BLOCK_SIZE;
}

/*
 * Divides the memory of `full_blocks` blocks into chunks. If there are more than TIME_BLOCKS
 * blocks, each counts as SMALL_BLOCK_SIZE, whatever the size of the files' blocks.
 */
static void share(struct destination_shape *shape, size_t full_blocks)
{
    bool few = full_blocks <= TIME_BLOCKS;
    shape->chunk_size = few || shape->block_size < CHUNK_SIZE ? shape->block_size : CHUNK_SIZE;
    size_t each = few ? shape->block_size : SMALL_BLOCK_SIZE;
    shape->chunks = full_blocks * ((each + shape->chunk_size - 1) / shape->chunk_size);
}

struct destination_shape file_shape(const struct path_template *path,
                                    const struct destination_options *options)
{
    const struct compression_ops *compression = options->settings->file.compression;
    size_t most = file_shape_paths(path, &options->settings->file);
    size_t full_blocks = most < MOST_BLOCKS ? most : MOST_BLOCKS;
    struct destination_shape shape = {.blocks = 1};
    bool fields = path_template_has_fields(path);
    if (fields && full_blocks < TIME_BLOCKS)
        full_blocks = TIME_BLOCKS; /* the path of "other" files is a path, too */
    shape.arranged = options->settings->encoder->arrange != NULL;
    bool large = (compression != NULL || shape.arranged) && !path_template_has_values(path);
    uint64_t limit = options->settings->file.rotate_size;
    shape.block_size = large ? LARGE_BLOCK_SIZE : plain_block_size(full_blocks, limit);
    /* A block and the file's head must fit in a file. */
    if (limit != 0 && limit - ENCODER_HEAD_SIZE < shape.block_size)
        shape.block_size = (size_t)limit - ENCODER_HEAD_SIZE;
    if (fields) {
        shape.blocks = file_table_capacity(most);
        share(&shape, full_blocks);
    }
    shape.memory = file_table_memory(most) + finished_files_memory(most) +
                   file_shape_frame_room(&shape, compression) +
                   (compression == NULL ? 0 : compression->memory());
    return shape;
}
