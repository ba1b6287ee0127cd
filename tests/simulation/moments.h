/*
 * Moments of a run at which a test may act. A kill at a random time hardly ever comes between two
 * calls that belong together; a kill aimed at a moment does.
 */
#ifndef SLUICE_TESTS_SIMULATION_MOMENTS_H
#define SLUICE_TESTS_SIMULATION_MOMENTS_H

enum moment {
    MOMENT_BLOCK_IS_STORED, /* in a spill */
    MOMENT_CURSOR_IS_WRITTEN,
    MOMENT_BLOCK_IS_SENT, /* to a far end */
    MOMENT_BLOCK_IS_ANSWERED,
    MOMENT_FILE_IS_WRITTEN, /* any write to any file, and the writes after it */
    MOMENT_FILE_IS_SYNCED,
    MOMENT_NAME_CHANGES,
    MOMENTS,
};

/*
 * Calls `then` at the nth occurrence of the moment, from 1, and after that number of further calls
 * of the platform.
 */
void moment_aim(enum moment moment, unsigned nth, unsigned steps, void (*then)(void));

/* Called when the moment has come. */
void moment_comes(enum moment moment);

#endif
