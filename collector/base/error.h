/*
 * What went wrong, in one line for a person and one exit code for a script.
 *
 * Used where something is opened, parsed or started. The datagram path has no use for it: there a
 * failure is a counter. The caller owns the struct; a function that fails fills it exactly once.
 */
#ifndef SLUICE_COLLECTOR_BASE_ERROR_H
#define SLUICE_COLLECTOR_BASE_ERROR_H

#include "collector/base/compiler.h"

/* The programs' exit codes. The numbers are those of sysexits.h, where it names them. */
enum exit_code {
    EXIT_CODE_OK = 0,
    EXIT_CODE_TEST_FAILED = 1,  /* sluice test: a test of a configuration failed */
    EXIT_CODE_NO_JSON_FORM = 3, /* sluice-decode: the message is sound, but has no form in JSON */
    EXIT_CODE_USAGE = 64,
    EXIT_CODE_BAD_INPUT = 65,
    EXIT_CODE_CANNOT_BIND = 69,
    EXIT_CODE_NOT_REACHED = 69, /* ctl: there is no collector, or it takes no orders from us;
                                   --check=connect: a delivery's far end is not there */
    EXIT_CODE_INTERNAL = 70,
    EXIT_CODE_CANNOT_CREATE = 73,
    EXIT_CODE_IO = 74,
    EXIT_CODE_CONFIG = 78,
};

struct error {
    enum exit_code code;
    char text[512]; /* one line, no newline at the end; cut when longer; no control characters */
};

/* Fills `error` (which may be NULL) with `code` and a printf-formatted line. */
void error_set(struct error *error, enum exit_code code, const char *format, ...) PRINTF_LIKE(3, 4);

/* Fills it with EXIT_CODE_INTERNAL: memory is short. Returns -1, for the caller to return. */
int error_no_memory(struct error *error);

/*
 * Puts "PLACE: " before the text of an error that was filled: where somebody wrote what is wrong.
 * Nothing where `place` is NULL.
 */
void error_place(struct error *error, const char *place);

#endif
