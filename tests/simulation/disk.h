/*
 * The simulated disk. It outlives processes: it is in memory that a process shares with those that
 * it starts, and it knows which of its content would survive a power cut.
 *
 * Data reach the disk when they are synced. Names are in a journal, like those of ext4 and XFS:
 * they reach the disk in the order in which they were created, and at the latest with the next
 * sync. Unsynced data may survive a power cut, by chance: a first part of a file that was appended
 * to, any sectors of a file that was written in place.
 */
#ifndef SLUICE_TESTS_SIMULATION_DISK_H
#define SLUICE_TESTS_SIMULATION_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_PATH_SIZE 200

struct disk_node {
    bool is_folder;
    bool in_place; /* written elsewhere than at its end */
    unsigned links, open;
    unsigned writers;       /* of the `open` uses, those that write */
    unsigned sharing;       /* locks */
    bool exclusive;         /* a lock */
    unsigned read_failures; /* failed reads of the place that failed last, until a read succeeds */
    uint64_t unread;        /* the place of the last failed read */
    int64_t modified_ns;
    uint8_t *bytes;
    size_t size, room;
    uint8_t *synced;
    size_t synced_size, synced_room;
};

/* Called before any process that uses the disk is started. */
void disk_create(void);

/* Removes everything except one folder. */
void disk_clear(const char *folder);

/* Faults: free bytes, and the number of failing calls in a thousand. */
void disk_set_room(uint64_t bytes);
void disk_set_faults(unsigned in_thousand);
void disk_set_read_faults(unsigned in_thousand); /* additional faults, in reads of a spill */
uint64_t disk_faults(void);                      /* faults that have happened, of both kinds */
bool disk_fails(void);                           /* whether a call fails now, by chance */

/*
 * The same for a read of a spill. The program treats a block as damaged after three failed reads,
 * although it is not. Therefore a position fails at most twice, whatever is read in between, and
 * only one position at a time.
 */
bool disk_fails_to_read_at(struct disk_node *node, uint64_t offset);

/*
 * Puts a complete file there, replacing one with that name. This is not the program's action: it
 * cannot fail, and a program that has the earlier file open keeps that one.
 */
void disk_put(const char *path, const void *bytes, size_t size);

/* --- names ------------------------------------------------------------------------------------ */

/* NULL: no file has that name. */
struct disk_node *disk_find(const char *path);

/* NULL: the folder does not exist, the name exists already, or the disk fails. */
struct disk_node *disk_make(const char *path, bool is_folder);

bool disk_remove(const char *path);
bool disk_rename(const char *from, const char *to); /* replaces a file named `to` */

/*
 * The next name in a folder, relative to it; NULL: there are no more. *at is 0 before the first.
 * Names may be added and removed at the same time.
 */
const char *disk_next_name(const char *folder, size_t *at, struct disk_node **node);

/* --- data ------------------------------------------------------------------------------------- */

enum disk_result {
    DISK_DONE,
    DISK_FULL,
    DISK_FAILED,
};

/*
 * Writes at `offset`. *written may be less than `size` even if the result is DISK_FULL or
 * DISK_FAILED.
 */
enum disk_result disk_write(struct disk_node *node, uint64_t offset, const void *bytes, size_t size,
                            size_t *written);
size_t disk_read(const struct disk_node *node, uint64_t offset, void *bytes, size_t size);
bool disk_truncate(struct disk_node *node, uint64_t size);
bool disk_sync(struct disk_node *node);
bool disk_sync_names(void);

/* --- ends of processes, and power cuts -------------------------------------------------------- */

/* The process has ended: its files are closed and its locks released. */
void disk_process_ended(void);

/* The power is cut: as disk_process_ended, but data that were not synced survive only by chance. */
void disk_cut_power(void);

#endif
