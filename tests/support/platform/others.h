/*
 * What others do to the files of the scratch directory: users, and other programs, whatever ours
 * has open. Each function fails the running cmocka test where it cannot do what it says.
 *
 * Each operating system implements this header in a file of its own, chosen by CMake.
 */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

/* The name is free at once, also where the file is still open. */
void others_remove(const char *name);
void others_remove_folder(const char *name);
void others_move(const char *from, const char *to);

void others_append(const char *name, const char *text);
void others_empty(const char *name);
void others_cut(const char *name, uint64_t size);

/* Gives it a time, in seconds since 1970. */
void others_set_time(const char *name, int64_t seconds);

/* Makes what has a name and is neither a file nor a folder. Returns false, nothing being made,
 * where the system at hand has no such thing. */
bool others_link(const char *to, const char *name);
bool others_make_pipe(const char *name);

/*
 * Another program that reads a file and shares too little of it: with all of them it keeps the file
 * from being renamed and removed. Where the system knows nothing of that, what it would answer is
 * answered in its place: such a test is linked with others_hold (CMakeLists.txt).
 */
enum others_share {
    OTHERS_SHARE_WRITING, /* others may write it meanwhile; */
    OTHERS_SHARE_READING, /* others may not */
};

struct others_reader;
struct others_reader *others_read(const char *name, enum others_share share);
void others_close(struct others_reader *reader);

/* The system's words, a part of them, for */
struct others_words {
    const char *no_file;     /* a name that nothing has, */
    const char *no_folder;   /* one in a folder that is not there, */
    const char *below_file;  /* or in what is no folder but a file, */
    const char *folder;      /* what is a folder, opened as a file, */
    const char *folder_read; /* the same, opened to be read, */
    const char *link;        /* what is a link, */
    const char *long_name;   /* and a name that is too long */
};
extern const struct others_words others_words;

#endif
