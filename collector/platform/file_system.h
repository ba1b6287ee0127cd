/*
 * Names of files, folders and free space.
 *
 * A port provides the form of its paths (file_path_normalise, file_path_root, file_path_fault,
 * file_path_fold), the location of a file (file_location_find, file_location_of_stdout), folders,
 * and disk_room_look. The other functions are the same on every system.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H
#define SLUICE_COLLECTOR_PLATFORM_FILE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- paths ------------------------------------------------------------------------------------ */

/*
 * Operations on paths as texts; they do not ask the system.
 *
 * Inside the program a path is UTF-8 with '/' between its names. A path from outside is brought
 * into that form once, where it is read. On Windows this gives "C:/logs/x", "//server/share/x" and
 * "//./pipe/x", which its calls accept as well as the forms with '\'; only there a drive is
 * different from a name.
 *
 * Pure functions; any thread.
 */

/* --- of the system ---------------------------------------------------------------------------- */

/* Brings a path from outside into the program's form. Its length does not change. */
void file_path_normalise(char *path);

/*
 * Length of the root at the beginning of a path: "/", "C:/", "//server/share/"; 0 for a relative
 * path.
 */
size_t file_path_root(const char *path);

/*
 * Why no file can have this path, which may contain fields (sinks/files/path_template.h): a
 * constant text for a person, and in *at the number of bytes before the error. NULL: it is valid.
 */
const char *file_path_fault(const char *path, size_t *at);

/* Each byte as names are compared: 'a' and 'A' map to the same byte if they name the same file. */
extern const unsigned char file_path_fold[256];

/* --- of every system -------------------------------------------------------------------------- */

/*
 * Length of the folder's name in a path, without the '/' after it unless that is the root's; 0 for
 * a name without a folder.
 */
size_t file_path_folder(const char *path);

/*
 * Copies the folder's name to `to`, or "." for a name without a folder. Returns false if it does
 * not fit into `size` bytes with its NUL.
 */
bool file_path_copy_folder(const char *path, char *to, size_t size);

/* The part of a path after its folder. */
const char *file_path_name(const char *path);

/* Whether both texts name the same file; links are not followed. */
bool file_path_same(const char *a, const char *b);

/* Whether the path begins with these bytes, which contain no NUL. */
bool file_path_begins(const char *path, const char *bytes, size_t size);

/*
 * Whether Windows treats the name as a device, in any folder and with any suffix after its first
 * dot: "nul", "COM1.txt". A portable file must not have such a name.
 */
bool file_path_is_device(const char *name, size_t size);

/* --- which file a path names ------------------------------------------------------------------ */

/*
 * The file that a path names, so that two paths to one file are recognised: by a link, by "./", or
 * by a second name. Any thread.
 */

#define FILE_LOCATION_NAME_SIZE 256

/* An existing file or folder; for a file that does not exist, its folder and its name. */
struct file_location {
    uint64_t volume, number;         /* of the file, or of the folder that would contain it */
    char name[FILE_LOCATION_NAME_SIZE]; /* empty: the numbers are the file's own */
};

/*
 * Returns false if the folder does not exist or may not be searched, or the path names a pipe or a
 * device.
 */
bool file_location_find(const char *path, struct file_location *place);

/* The same for the file that standard output is. */
bool file_location_of_stdout(struct file_location *place);

bool file_location_same(const struct file_location *a, const struct file_location *b);

/* --- folders ---------------------------------------------------------------------------------- */

/* The entries of a folder, and changes of its files. Any thread; a walk belongs to one thread. */

struct folder;

struct folder_entry {
    const char *name; /* valid until the next call */
    bool is_folder;
    bool is_file;        /* a regular one */
    int64_t modified_ns; /* since 1970 UTC */
    uint64_t size;       /* bytes of a regular file */
};

/* Returns NULL if it cannot be read. */
struct folder *folder_open(const char *path);

/*
 * The next entry, in no particular order, without "." and "..". A symbolic link is neither a folder
 * nor a file.
 */
bool folder_next(struct folder *folder, struct folder_entry *entry);

/* NULL is allowed. */
void folder_close(struct folder *folder);

/* Whether a file, a folder or a link has this name. True if the system does not say. */
bool folder_has(const char *path);

/* Removes a file. Returns false if it still exists. */
bool folder_remove_file(const char *path);

/*
 * Renames a file on the same disk, replacing a file that has the new name. Returns false if it
 * keeps its name.
 */
bool folder_rename_file(const char *from, const char *to);

/*
 * Flushes the names in a folder to the disk: creations, renames and removals. Returns false with
 * `error` filled. Windows has no such call: its file systems keep names in a journal.
 */
bool folder_sync(const char *path, struct error *error);

/* --- free space ------------------------------------------------------------------------------- */

/*
 * A part of a file system that is kept free. The writers of files check it before each block; the
 * system is asked once a second.
 */

/* The part to keep free: in bytes, or in percent of the file system. All zero: none. */
struct disk_reserve {
    uint64_t bytes;
    uint64_t percent; /* below 100 */
};

/* The last result, for one thread; zero before the first use. */
struct disk_room {
    int64_t look_at_ns; /* monotonic time of the next look */
    bool low;
};

/*
 * Whether the file system of the file or folder has the reserve free, for a user without special
 * rights; false with `error` filled (EXIT_CODE_IO), which says what to do. True if the system does
 * not say.
 */
bool disk_room_has(struct disk_room *room, const struct disk_reserve *reserve, const char *path,
                   struct error *error);

/* --- of each system --------------------------------------------------------------------------- */

/*
 * Free bytes there, for a user without special rights, and all bytes. Returns false if the system
 * does not say.
 */
bool disk_room_look(const char *path, uint64_t *available, uint64_t *total);

#endif
