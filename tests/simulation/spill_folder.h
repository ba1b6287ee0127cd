/*
 * Reads a spill folder by its format only (collector/spill/block_head.h), without the collector's
 * code.
 */
#ifndef SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H
#define SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Marks each datagram whose line is in a complete block. Returns the number of records in the last
 * stored block. *torn is the number of records in blocks that the end of a file cuts.
 */
size_t spill_folder_read(const char *folder, bool *on_disk, size_t *torn);

#endif
