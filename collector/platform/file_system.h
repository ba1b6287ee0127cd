/*
 * Names of files, folders and free space.
 *
 * A port provides the form of its paths (file_path_normalise, file_path_root, file_path_fault,
 * file_path_fold), the identity of a file (file_location_find, file_location_of_stdout), folders, and
 * disk_room_look. The other functions are the same on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H
#define SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * The names of files, as texts: nothing here asks the system.
 *
 * Inside the program a path is UTF-8, and '/' alone stands between its names. What a user wrote is
 * brought into that form once, where it is read; from there on no part of the program knows of
 * another. On Windows that leaves "C:/logs/x", "//server/share/x" and "//./pipe/x", which its calls
 * take as well as their forms with '\'. Only there is a drive something other than a name. CMake
 * picks what differs under platform/.
 *
 * Pure functions; any thread.
 */

/* --- of the system ---------------------------------------------------------------------------- */

/* Brings what a user wrote into the form that the program has. Its length stays the same. */
void file_path_normalise(char *path);

/*
 * Bytes at its beginning that are not the name of any folder: "/", "C:/", "//server/share/"; of a
 * path that begins where the program was started 0.
 */
size_t file_path_root(const char *path);

/*
 * Why no file can have this path, whose fields (sinks/files/path_template.h) may stand in it: a
 * constant for a person, and in *at how many bytes stand before what is wrong. NULL: nothing is.
 */
const char *file_path_fault(const char *path, size_t *at);

/* Each byte as it is compared in names: of "a" and "A" the same where they name the same file. */
extern const unsigned char file_path_fold[256];

/* --- of every system -------------------------------------------------------------------------- */

/* Bytes of the folder's name in a path, without the '/' after it unless it is the root's; 0: it
 * has none. */
size_t file_path_folder(const char *path);

/*
 * Copies the folder's name into `to`, "." where the path has none. Returns false where it does not
 * fit into `size` bytes with its NUL.
 */
bool file_path_copy_folder(const char *path, char *to, size_t size);

/* The part of a path after its folder. */
const char *file_path_name(const char *path);

/* Whether both name the same file, as far as their texts say. */
bool file_path_same(const char *a, const char *b);

/* Whether the path begins with these bytes, none of which is a NUL. */
bool file_path_begins(const char *path, const char *bytes, size_t size);

/*
 * Whether Windows takes the name for a device, whatever folder it is in and whatever follows its
 * first dot: "nul", "COM1.txt". A file that is to be had everywhere has no such name.
 */
bool file_path_is_device(const char *name, size_t size);

/* --- which file a path names ------------------------------------------------------------------ */

/*
 * Which file a path names, so that two paths to one file are seen to be that: by a link, by "./", or
 * by a second name. Any thread.
 */

#define FILE_LOCATION_NAME_SIZE 256

/* An existing file or folder; or, of a file that does not exist, its folder and its name. */
struct file_location {
    uint64_t volume, number;         /* of the file, or of the folder that it would be in */
    char name[FILE_LOCATION_NAME_SIZE]; /* empty: of the file itself */
};

/*
 * Returns false where the folder does not exist or may not be searched, or the path names a pipe or
 * a device.
 */
bool file_location_find(const char *path, struct file_location *place);

/* The same of the file that standard output leads to. */
bool file_location_of_stdout(struct file_location *place);

bool file_location_same(const struct file_location *a, const struct file_location *b);

/* --- folders ---------------------------------------------------------------------------------- */

/* What lies in a folder, and removing files of it. Any thread; a walk belongs to one. */

struct folder;

struct folder_entry {
    const char *name; /* until the next call */
    bool is_folder;
    bool is_file;        /* a regular one */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* bytes of a regular file */
};

/* Returns NULL where it cannot be read. */
struct folder *folder_open(const char *path);

/* The next entry, in no order; not "." and "..". Symbolic links are neither files nor folders. */
bool folder_next(struct folder *folder, struct folder_entry *entry);

/* NULL is allowed. */
void folder_close(struct folder *folder);

/* Whether a file, a folder or a link has this name. Where that cannot be found out: yes. */
bool folder_has(const char *path);

/* Removes a file. Returns false where it is still there. */
bool folder_remove_file(const char *path);

/* Gives a file another name on the same disk, in place of what has that name. Returns false where
 * it still has its own. */
bool folder_rename_file(const char *from, const char *to);

/*
 * Makes the names in a folder reach the disk: files that were made, renamed and removed. Returns
 * false with `error` filled. Windows has no such call: its file systems keep names in a journal.
 */
bool folder_sync(const char *path, struct error *error);

/* --- free space ------------------------------------------------------------------------------- */

/*
 * How much of a file system stays free, and whether it does: who writes files asks before each
 * block, and the system is asked once a second.
 */

/* What stays free: bytes, or hundredths of the file system. All zero: nothing need. */
struct disk_reserve {
    uint64_t bytes;
    uint64_t percent; /* below 100 */
};

/* What was found out last; zero before the first use. Of one thread. */
struct disk_room {
    int64_t look_at_ns; /* monotonic: the system is asked again then */
    bool low;
};

/*
 * Whether the file system that the file or folder is on has the reserve free, for a user without
 * rights of his own; false with `error` filled (EXIT_CODE_IO), which says what to do. Where the
 * system does not say there is room.
 */
bool disk_room_has(struct disk_room *room, const struct disk_reserve *reserve, const char *path,
                   struct error *error);

/* --- of each system --------------------------------------------------------------------------- */

/* Bytes that are free there, for a user without rights of his own, and all bytes. Returns false
 * where the system does not say. */
bool disk_room_look(const char *path, uint64_t *available, uint64_t *total);

#endif
