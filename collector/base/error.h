/*
 * An error: one line for people and one exit code for scripts.
 *
 * Used for opening, parsing and starting. The datagram path does not use it: failures there are
 * counted. The caller owns the struct; a function that fails fills it exactly once.
 */
#ifndef SLUICE_COLLECTOR_BASE_ERROR_H
#define SLUICE_COLLECTOR_BASE_ERROR_H

#include "collector/text/compiler.h"

/*
 * The exit codes of the programs. The numbers are those of sysexits.h, if it has a name for the
 * case.
 */
enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_TEST_FAILED = 1,  /* sluice test: a test of a configuration failed */
    EXIT_CODE_NO_JSON_FORM = 3, /* sluice-decode: the message is valid, but has no JSON form */
    EXIT_CODE_USAGE = 64,
    EXIT_CODE_BAD_INPUT = 65,
    EXIT_CODE_CANNOT_BIND = 69,
    EXIT_CODE_NOT_REACHED = 69, /* ctl: no collector runs, or it does not accept our commands;
                                   --check=connect: a sink's destination cannot be reached */
    EXIT_CODE_INTERNAL = 70,
    EXIT_CODE_CANNOT_CREATE = 73,
    EXIT_CODE_IO = 74,
    EXIT_CODE_CONFIG = 78,
};

struct error {
    enum exit_code code;
    char text[512]; /* one line without newline or control characters; cut if longer */
};

/* Fills `error` (which may be NULL) with `code` and a printf-formatted line. */
void error_set(struct error *error, enum exit_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/*
 * Fills `error` with EXIT_CODE_INTERNAL and "out of memory". Returns -1, for the caller to return.
 */
int error_no_memory(struct error *error);

/*
 * Puts "PLACE: " in front of the text of a filled error; PLACE is the file or argument that
 * contains the mistake. Does nothing if `place` is NULL.
 */
void error_place(struct error *error, const char *place);

#endif
