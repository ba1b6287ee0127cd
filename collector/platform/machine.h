/*
 * Services of the machine: aligned memory, memory for secrets, random bytes, a checksum, the host
 * name.
 *
 * A port provides each except crc32c_by_table, which is the same on every system. CMake selects the
 * processor's instruction for crc32c (x86/, arm64/).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_MACHINE_H
#define SLUICE_COLLECTOR_PLATFORM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- aligned memory --------------------------------------------------------------------------- */

/*
 * Memory that begins at a multiple of a cache line or a page. Not every C library has C11's
 * aligned_alloc, and some need another function to free such memory.
 */

/*
 * Returns `size` bytes; `size` is a multiple of `alignment`, a power of two. Returns NULL if memory
 * is short.
 */
void *aligned_memory_create(size_t alignment, size_t size);

/* Discards the contents: the system may take back the whole pages until they are written again. */
void aligned_memory_discard(void *memory, size_t size);

/*
 * Has the system provide all pages of unused memory now, so that the first write to it does not
 * wait for them. Returns false if there are not enough pages.
 */
bool aligned_memory_populate(void *memory, size_t size);

/* NULL is allowed. */
void aligned_memory_destroy(void *memory);

/* --- memory for secrets ----------------------------------------------------------------------- */

/*
 * Memory on pages of its own. They are kept out of dumps of the process, if the system can do that.
 * Any thread.
 */

/* Returns the size in bytes of the pages that hold `size` bytes. */
size_t secret_memory_size(size_t size);

/* Returns at least `size` bytes, all zero; `size` is not 0. Returns NULL if memory is short. */
void *secret_memory_create(size_t size);

/* Clears the memory (secure_clear.h) and frees it. `size` as when created. NULL is allowed. */
void secret_memory_destroy(void *memory, size_t size);

/* --- random bytes ----------------------------------------------------------------------------- */

/* Random bytes from the operating system, for keys. Any thread. */

/* Fills `size` (at most 256) bytes. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int random_bytes(uint8_t *bytes, size_t size, struct error *error);

/* --- checksums -------------------------------------------------------------------------------- */

/*
 * CRC-32C (Castagnoli) as in RFC 3720, section 12.1 and appendix B.4: polynomial 0x1EDC6F41,
 * reflected, initial value and final XOR all ones. Uses the processor's instruction if a check at
 * run time finds it. Pure functions; any thread.
 */

/* Extends the checksum `before` (0: of no bytes) by `size` bytes. */
uint32_t crc32c(uint32_t before, const void *bytes, size_t size);

/* Computes the same as crc32c without the instruction: 18 times slower than with it. */
uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t size);

/* --- the name of the machine ------------------------------------------------------------------ */

/* The machine's own name. Any thread. */

#define HOST_NAME_SIZE 256

/*
 * Writes the machine's name, with a NUL at its end; "localhost" if the system does not know a name.
 * Returns its length.
 */
size_t host_name(char text[HOST_NAME_SIZE]);

#endif
