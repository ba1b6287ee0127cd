/*
 * Calls a function at a chosen moment of a run, for instance to kill the program between two calls
 * that belong together. A kill at a random time rarely hits such a gap.
 */
#ifndef SLUICE_TESTS_SIMULATION_MOMENTS_H
#define SLUICE_TESTS_SIMULATION_MOMENTS_H

enum moment {
    MOMENT_BLOCK_IS_STORED, /* a spill has stored a block */
    MOMENT_CURSOR_IS_WRITTEN,
    MOMENT_BLOCK_IS_SENT, /* a block was sent to a far end */
    MOMENT_BLOCK_IS_ANSWERED,
    MOMENT_FILE_IS_WRITTEN, /* a file is being written, or was written */
    MOMENT_FILE_IS_SYNCED,
    MOMENT_NAME_CHANGES,
    MOMENTS,
};

/*
 * Calls `then` when the moment occurs the nth time (counted from 1) and `steps` more platform calls
 * were made.
 */
void moment_aim(enum moment moment, unsigned nth, unsigned steps, void (*then)(void));

/* Reports that the moment occurs now. */
void moment_comes(enum moment moment);

#endif
