/*
 * Actions of other users and programs on the files of the scratch directory, also while our program
 * has them open. A function that fails fails the running cmocka test. Each operating system
 * implements this header in a file of its own, chosen by CMake.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

/* Removes a file; the name is free at once, also while the file is open. */
void others_remove(const char *name);
void others_remove_folder(const char *name);
void others_move(const char *from, const char *to);

void others_append(const char *name, const char *text);
void others_empty(const char *name);
void others_cut(const char *name, uint64_t size);

/* Sets the file's time, in seconds since 1970. */
void others_set_time(const char *name, int64_t seconds);

/*
 * Creates an entry that is neither a file nor a folder. Returns false if this system has no such
 * entries.
 */
bool others_link(const char *to, const char *name);
bool others_make_pipe(const char *name);

/*
 * Another program that reads a file and shares only part of the access to it: in all cases it keeps
 * the file from being renamed and removed. On a system without such sharing, others_hold
 * (CMakeLists.txt) returns the errors that a server would return.
 */
enum others_share {
    OTHERS_SHARE_WRITING, /* others can write it */
    OTHERS_SHARE_READING, /* others cannot write it */
};

struct others_reader;
struct others_reader *others_read(const char *name, enum others_share share);
void others_close(struct others_reader *reader);

/* A part of the system's error text for */
struct others_words {
    const char *no_file;     /* a missing file, */
    const char *no_folder;   /* a file in a missing folder, */
    const char *below_file;  /* a path through a file, */
    const char *folder;      /* a folder that is opened as a file, */
    const char *folder_read; /* the same, opened for reading, */
    const char *link;        /* a link, */
    const char *long_name;   /* and a name that is too long */
};
extern const struct others_words others_words;

#endif
