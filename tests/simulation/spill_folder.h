/* Reads the content of a spill folder, based only on its format (collector/spill/block_head.h). */
#ifndef SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H
#define SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Notes for each datagram whether its line is in a complete block. Returns the number of records in
 * the block that was stored last; *torn: in blocks that are cut by the end of a file.
 */
size_t spill_folder_read(const char *folder, bool *on_disk, size_t *torn);

#endif
