/*
 * Changes and opens files of the scratch directory as other users and programs do, also while our
 * program has them open. A function that does not succeed fails the running cmocka test. CMake
 * chooses the implementation of the operating system.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

/* Removes a file. Its name can be used again at once, even if the file is still open. */
void others_remove(const char *name);
void others_remove_folder(const char *name);
void others_move(const char *from, const char *to);

void others_append(const char *name, const char *text);
void others_empty(const char *name);
void others_cut(const char *name, uint64_t size);

/* Sets the file's time, in seconds since 1970. */
void others_set_time(const char *name, int64_t seconds);

/*
 * Create an entry that is neither a file nor a folder. Return false if the system has no such
 * entries.
 */
bool others_link(const char *to, const char *name);
bool others_make_pipe(const char *name);

/*
 * Emulates another program that has a file open for reading, so that the file cannot be renamed or
 * removed. On a system without such locks, the library others_hold (CMakeLists.txt) returns the
 * errors that a Windows server would return.
 */
enum others_share {
    OTHERS_SHARE_WRITING, /* other programs can write the file */
    OTHERS_SHARE_READING, /* other programs cannot write the file */
};

struct others_reader;
struct others_reader *others_read(const char *name, enum others_share share);
void others_close(struct others_reader *reader);

/* Parts of the system's error texts for these errors. */
struct others_words {
    const char *no_file;     /* a missing file */
    const char *no_folder;   /* a file in a missing folder */
    const char *below_file;  /* a path through a file */
    const char *folder;      /* a folder that is opened as a file */
    const char *folder_read; /* a folder that is opened for reading */
    const char *link;        /* a symbolic link */
    const char *long_name;   /* a name that is too long */
};
extern const struct others_words others_words;

#endif
