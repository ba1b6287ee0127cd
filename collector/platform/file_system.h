/*
 * Paths, folders and free space.
 *
 * A port provides the form of its paths (file_path_normalise, file_path_root, file_path_fault,
 * file_path_absolute, file_path_list_separator, file_path_fold, file_path_mkdir, file_path_quoted),
 * the location of a file (file_location_find, file_location_find_any, file_location_of_stdout),
 * folders (but not folder_advise_missing and folder_is_readable), and disk_room_look. The other
 * functions are the same on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H
#define SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * Operations on the text of paths. Only file_path_absolute calls the system.
 *
 * Inside the program a path is UTF-8 with '/' between its names. A path from outside is brought
 * into that form once, where it is read. On Windows this gives "C:/logs/x", "//server/share/x" and
 * "//./pipe/x"; Windows' calls accept these as well as the forms with '\'. Only on Windows does a
 * path have a drive.
 *
 * Pure functions; any thread.
 */

/* --- paths: functions of each system ---------------------------------------------------------- */

/* Brings a path from outside into the program's form. Its length does not change. */
void file_path_normalise(char *path);

/*
 * Returns the length of the root at the beginning of a path: "/", "C:/", "//server/share/"; 0 for a
 * relative path.
 */
size_t file_path_root(const char *path);

/*
 * Returns why no file can have this path, as a constant text for a person, and stores in *at the
 * number of bytes before the error. Returns NULL if the path is valid. The path may contain fields
 * (sinks/files/path_template.h).
 */
const char *file_path_fault(const char *path, size_t *at);

/*
 * Returns the full form of a path, in the program's form: without "." and doubled separators, and
 * without "..", for which links are followed. The caller frees it. Calls the system for the current
 * folder. Returns NULL if memory is short, if the system fails, or if the path contains ".." and
 * does not exist.
 */
char *file_path_absolute(const char *path);

/* The character between two folders of a list: ':' or ';'. */
extern const char file_path_list_separator;

/*
 * Maps each byte to the byte by which names are compared. If the system ignores case, 'a' and 'A'
 * map to the same byte.
 */
extern const unsigned char file_path_fold[256];

/*
 * Returns a hash (FNV-1a) that is equal for paths that are equal after mapping by file_path_fold.
 */
static inline uint64_t file_path_hash(const char *path)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *path != '\0'; path++)
        hash = (hash ^ file_path_fold[(unsigned char)*path]) * UINT64_C(1099511628211);
    return hash;
}

/*
 * file_path_mkdir is the shell's command that creates a folder and those above it, "mkdir -p".
 * file_path_quoted has the characters for which the shell requires quotation marks around a path.
 */
extern const char file_path_mkdir[], file_path_quoted[];

/* --- paths: functions for all systems --------------------------------------------------------- */

/*
 * Returns the length of the folder's part of a path, without the '/' after it unless the folder is
 * the root; 0 for a name without a folder.
 */
size_t file_path_folder(const char *path);

/*
 * Copies the folder's part of the path to `to`, or "." for a name without a folder. Returns false
 * if the text and its NUL do not fit into `size` bytes.
 */
bool file_path_copy_folder(const char *path, char *to, size_t size);

/* Returns the part of a path after its folder. */
const char *file_path_name(const char *path);

/* Returns true if both texts name the same file; links are not followed. */
bool file_path_same(const char *a, const char *b);

/* Returns true if the path begins with these bytes, which contain no NUL. */
bool file_path_begins(const char *path, const char *bytes, size_t size);

/*
 * Returns true if Windows treats the name as a device, in any folder and with any suffix after its
 * first dot: "nul", "COM1.txt". A portable file must not have such a name.
 */
bool file_path_is_device(const char *name, size_t size);

/* --- which file a path names ------------------------------------------------------------------ */

/*
 * Identifies the file that a path names. This shows that two paths lead to one file: by a link, by
 * "./", or by a second name of the file. Any thread.
 */

#define FILE_LOCATION_NAME_SIZE 256

/* The location of an existing file or folder; or, for a missing file, its folder and its name. */
struct file_location {
    uint64_t volume, number; /* numbers of the file, or of the folder that would contain it */
    char name[FILE_LOCATION_NAME_SIZE]; /* empty if the file exists */
};

/*
 * Returns false if the folder does not exist or cannot be searched, or the path names a pipe or a
 * device.
 */
bool file_location_find(const char *path, struct file_location *place);

/*
 * Like file_location_find, but also finds a pipe, a terminal or another device if the system can
 * identify it. Does not find the null device, which discards what is written.
 */
bool file_location_find_any(const char *path, struct file_location *place);

/* Like file_location_find_any, for the file that is open as standard output. */
bool file_location_of_stdout(struct file_location *place);

bool file_location_same(const struct file_location *a, const struct file_location *b);

/* --- folders ---------------------------------------------------------------------------------- */

/*
 * Reads the entries of a folder, and changes its files. Any thread; an open folder belongs to one
 * thread.
 */

struct folder;

struct folder_entry {
    const char *name; /* valid until the next call */
    bool is_folder;
    bool is_file;        /* a regular file */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* bytes of a regular file */
};

/* Returns NULL if the folder cannot be read. */
struct folder *folder_open(const char *path);

/*
 * Reads the next entry, in no particular order, without "." and "..". Returns false at the end. A
 * symbolic link is neither a folder nor a file.
 */
bool folder_next(struct folder *folder, struct folder_entry *entry);

/*
 * Returns the name of the next entry, as folder_next; cheaper, because nothing else is read about
 * the entry. Valid until the next call; NULL at the end.
 */
const char *folder_next_name(struct folder *folder);

/* NULL is allowed. */
void folder_close(struct folder *folder);

/* Returns true if the path, or the link that it names, leads to a folder that can be read. */
bool folder_is_readable(const char *path);

/*
 * Returns true if a file, a folder or a link has this name. Also returns true if the system does
 * not report whether one has it.
 */
bool folder_has(const char *path);

/*
 * For an error about a folder, or about a file that cannot be created: if the folder (or the file's
 * folder) does not exist, appends how to create it: "; create the folder: mkdir -p
 * /var/log/sluice". If a folder has the file's name, appends that.
 */
void folder_advise_missing(const char *folder, struct error *error);
void folder_advise_missing_of(const char *file, struct error *error);

/* Removes a file. Returns false if it still exists. */
bool folder_remove_file(const char *path);

/*
 * Renames a file within a disk, replacing a file that has the new name. Returns false if the file
 * keeps its old name.
 */
bool folder_rename_file(const char *from, const char *to);

/*
 * Flushes the names in a folder to the disk: creations, renames and removals. Returns false with
 * `error` filled. Windows has no such call: its file systems keep names in a journal.
 */
bool folder_sync(const char *path, struct error *error);

/* --- permissions ------------------------------------------------------------------------------ */

/*
 * Functions that create files for data have a parameter for the mode, as for chmod(2). A mode other
 * than 0 is set whatever the umask is. 0 means FILE_MODE_USUAL less the umask.
 */
#define FILE_MODE_USUAL 0640

/*
 * Returns true if this system has such modes. Windows has none: a mode is always 0, and a file
 * inherits its folder's permissions.
 */
bool file_modes_exist(void);

/* --- free space ------------------------------------------------------------------------------- */

/*
 * A part of a file system that is kept free. Each writer of files checks it before each block; the
 * free space is read once a second.
 */

/* The part of a file system to keep free: in bytes, or in percent. All zero: no part. */
struct disk_reserve {
    uint64_t bytes;
    uint64_t percent; /* below 100 */
};

/* The last result of disk_room_has, for one thread; zero before the first use. */
struct disk_room {
    int64_t look_at_ns; /* monotonic time when the free space is read next */
    bool low;
};

/*
 * Returns true if the file system of the file or folder has the reserve free, for a user without
 * special rights. If not, `error` (EXIT_CODE_IO) says what to do. Also returns true if the system
 * does not report the free space.
 */
bool disk_room_has(struct disk_room *room, const struct disk_reserve *reserve, const char *path,
                   struct error *error);

/* --- free space: functions of each system ----------------------------------------------------- */

/*
 * Stores the free bytes of the path's file system, for a user without special rights, and the file
 * system's size in bytes. Returns false if the system does not report them.
 */
bool disk_room_look(const char *path, uint64_t *available, uint64_t *total);

#endif
