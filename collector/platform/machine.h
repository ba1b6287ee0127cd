/*
 * What the machine offers: aligned memory, random bytes, a checksum, its name.
 *
 * A port provides each but the table of crc32c, which is the same on every system. CMake picks the
 * instruction for crc32c (x86/).
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_MACHINE_H
#define SLUICE_COLLECTOR_PLATFORM_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/base/error.h"

/* --- aligned memory --------------------------------------------------------------------------- */

/*
 * Memory that begins at a multiple of a cache line or a page. CMake picks the implementation under
 * platform/: not every C library has C11's aligned_alloc, and what it gives has its own way back.
 */

/*
 * Returns `size` bytes, a multiple of `alignment`, which is a power of two; NULL where memory is
 * short.
 */
void *aligned_memory_create(size_t alignment, size_t size);

/*
 * What the memory holds is needed no more: the whole pages of it may go back to the system until it
 * is written again.
 */
void aligned_memory_discard(void *memory, size_t size);

/*
 * Has the system give all pages of memory that holds nothing yet, so that nobody waits for them
 * when it is first written. Returns false where it has none.
 */
bool aligned_memory_populate(void *memory, size_t size);

/* NULL is allowed. */
void aligned_memory_destroy(void *memory);

/* --- random bytes ----------------------------------------------------------------------------- */

/* Random bytes that nobody can foretell, from the operating system. */

/* Fills `size` (at most 256) bytes. Returns 0, or -1 with `error` filled (EXIT_CODE_INTERNAL). */
int random_bytes(uint8_t *bytes, size_t size, struct error *error);

/* --- checksums -------------------------------------------------------------------------------- */

/*
 * CRC-32C (Castagnoli), as RFC 3720, section 12.1, and its appendix B.4 have it: polynomial
 * 0x1EDC6F41, reflected, begun with ones and inverted at the end. By the processor's instruction
 * where there is one, which the program finds out while it runs. Pure functions; any thread.
 */

/* The checksum of what `before` is the checksum of (0: of nothing), and `size` bytes after it. */
uint32_t crc32c(uint32_t before, const void *bytes, size_t size);

/* The same without the instruction: 18 times as slow. */
uint32_t crc32c_by_table(uint32_t before, const void *bytes, size_t size);

/* --- the name of the machine ------------------------------------------------------------------ */

/* What this machine calls itself. Any thread. */

#define HOST_NAME_SIZE 256

/* Writes its name, ended by a NUL; "localhost" where it has none. Returns its length. */
size_t host_name(char text[HOST_NAME_SIZE]);

#endif
