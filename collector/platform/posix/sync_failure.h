/*
 * The error text of a failed fsync(2). Linux reports a failure to write pages back only once, and
 * then treats the pages as clean (fsync(2), NOTES). A later sync succeeds although these pages are
 * not on the disk, so the log must say so.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_POSIX_SYNC_FAILURE_H
#define SLUICE_COLLECTOR_PLATFORM_POSIX_SYNC_FAILURE_H

#define SYNC_FAILURE                                                                               \
    "a sync failed; data written since the last one may not be on the disk, even if later syncs "  \
    "succeed"

#endif
