#include "sinks/files/file_shape.h"

#include "collector/contract/compression.h"
#include "collector/contract/encoder.h"
#include "sinks/files/file_table.h"
#include "sinks/files/finished_files.h"

/*
 * The most files that have a block, and so are open: MOST_BLOCKS if values are in the paths,
 * TIME_BLOCKS if only times are.
 */
#define MOST_BLOCKS 64
#define TIME_BLOCKS 2

/*
 * Size of each file's block: small for many files, as large as a stream's block for few. A file
 * that rotates by size can only end between two blocks, so a block is at most 1/PARTS_OF_FILE of a
 * file, but not less than the small size.
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

struct destination_shape file_shape(const struct path_template *path,
                                    const struct destination_options *options)
{
    const struct compression_ops *compression = options->settings->file.compression;
    size_t most = file_shape_paths(path, &options->settings->file);
    struct destination_shape shape = {.blocks = most < MOST_BLOCKS ? most : MOST_BLOCKS};
    if (path_template_has_fields(path) && shape.blocks < TIME_BLOCKS)
        shape.blocks = TIME_BLOCKS; /* the "other" path is a path, too */
    shape.arranged = options->settings->encoder->arrange != NULL;
    bool large = (compression != NULL || shape.arranged) && !path_template_has_values(path);
    uint64_t limit = options->settings->file.rotate_size;
    shape.block_size = large ? LARGE_BLOCK_SIZE : plain_block_size(shape.blocks, limit);
    /* A block must fit in a file, together with the file's head. */
    if (limit != 0 && limit - ENCODER_HEAD_SIZE < shape.block_size)
        shape.block_size = (size_t)limit - ENCODER_HEAD_SIZE;
    shape.memory = file_table_memory(most) + finished_files_memory(most) +
                   file_shape_frame_room(&shape, compression) +
                   (compression == NULL ? 0 : compression->memory());
    return shape;
}
