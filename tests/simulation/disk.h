/*
 * Simulates a disk in shared memory, so that it outlives the processes that use it. The disk knows
 * which part of its content would survive a power cut.
 *
 * Data reaches the disk when it is synced. Names are in a journal, as with ext4 and XFS: they reach
 * the disk in the order of their changes, at the latest with the next sync. A part of the unsynced
 * data may survive a power cut by chance: the first bytes that were appended to a file, or any
 * sectors of a file that was written in place.
 */
#ifndef SLUICE_TESTS_SIMULATION_DISK_H
#define SLUICE_TESTS_SIMULATION_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_PATH_SIZE 200

struct disk_node {
    bool is_folder;
    bool in_place; /* was written before its end */
    unsigned links, open;
    unsigned writers;       /* number of open uses that write */
    unsigned sharing;       /* shared locks */
    bool exclusive;         /* an exclusive lock */
    unsigned read_failures; /* consecutive read failures at the position that failed last */
    uint64_t unread;        /* position of the last failed read */
    int64_t modified_ns;
    uint8_t *bytes;
    size_t size, room;
    uint8_t *synced;
    size_t synced_size, synced_room;
};

/* Called before the first process that uses the disk is started. */
void disk_create(void);

/* Removes everything except one folder. */
void disk_clear(const char *folder);

/* Faults of the disk: the number of free bytes, and the number of calls in a thousand that fail. */
void disk_set_room(uint64_t bytes);
void disk_set_faults(unsigned in_thousand);
void disk_set_read_faults(unsigned in_thousand); /* additional faults of reads of a spill */
uint64_t disk_faults(void);                      /* number of faults so far, of both kinds */
bool disk_fails(void);                           /* decides by chance whether this call fails */

/*
 * Decides by chance whether this read of a spill fails. It never fails three times in a row at a
 * position, because the program would then treat the block there, which is intact, as damaged.
 * While a position fails, no other one does.
 */
bool disk_fails_to_read_at(struct disk_node *node, uint64_t offset);

/*
 * Creates a file with these bytes, or replaces the file with this name, as another process would.
 * It cannot fail. A program that has the earlier file open keeps using that one.
 */
void disk_put(const char *path, const void *bytes, size_t size);

/* --- names ------------------------------------------------------------------------------------ */

/* Returns NULL if no file has this name. */
struct disk_node *disk_find(const char *path);

/* Returns NULL if the folder does not exist, the name exists already, or the disk fails. */
struct disk_node *disk_make(const char *path, bool is_folder);

bool disk_remove(const char *path);
bool disk_rename(const char *from, const char *to); /* replaces a file named `to` */

/*
 * Returns the next name in a folder, relative to it, or NULL at the end. *at must be 0 at first.
 * Names may be added and removed during the iteration.
 */
const char *disk_next_name(const char *folder, size_t *at, struct disk_node **node);

/* --- data ------------------------------------------------------------------------------------- */

enum disk_result {
    DISK_DONE,
    DISK_FULL,
    DISK_FAILED,
};

/*
 * Writes at `offset`, and sets *written. A part may have been written even if the result is
 * DISK_FULL or DISK_FAILED.
 */
enum disk_result disk_write(struct disk_node *node, uint64_t offset, const void *bytes, size_t size,
                            size_t *written);
size_t disk_read(const struct disk_node *node, uint64_t offset, void *bytes, size_t size);
bool disk_truncate(struct disk_node *node, uint64_t size);
bool disk_sync(struct disk_node *node);
bool disk_sync_names(void);

/* --- ends of processes, and power cuts -------------------------------------------------------- */

/* Called when the program's process has ended. Closes its files and releases its locks. */
void disk_process_ended(void);

/* Cuts the power. The same as disk_process_ended, but unsynced data survives only by chance. */
void disk_cut_power(void);

#endif
