/*
 * Where a program begins. Each program provides program_main and links sluice_entry, which has what
 * the operating system calls first; CMake picks it under platform/.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_ENTRY_H
#define SLUICE_COLLECTOR_PLATFORM_ENTRY_H

/*
 * Called once, on the main thread, with what C's main is called with: `argc` texts and a NULL, the
 * program's own name first; they live until it returns. On Windows the texts are UTF-8 (what is no
 * Unicode in them has become U+FFFD), elsewhere the bytes that were given. Standard input, output
 * and error pass bytes as they are. What it returns is the program's exit code.
 */
int program_main(int argc, char **argv);

#endif
