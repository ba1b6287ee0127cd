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
#ifndef SLUICE_COLLECTOR_PLATFORM_FILE_PATH_H
#define SLUICE_COLLECTOR_PLATFORM_FILE_PATH_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
