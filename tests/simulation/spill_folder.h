/* Reads the content of a spill folder, based only on its format (collector/spill/block_head.h). */
#ifndef SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H
#define SLUICE_TESTS_SIMULATION_SPILL_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Notes for each datagram whether its line is in a block that is whole. Returns the records of the
 * block that was stored last; *torn is those of blocks that the end of a file cuts.
 */
size_t spill_folder_read(const char *folder, bool *on_disk, size_t *torn);

#endif
