/* Returns the system's text for one of its error numbers. Only for Windows. */
#ifndef SLUICE_COLLECTOR_PLATFORM_WINDOWS_SYSTEM_ERROR_H
#define SLUICE_COLLECTOR_PLATFORM_WINDOWS_SYSTEM_ERROR_H

/* The size of a text in bytes, with its NUL; a longer text is cut. */
#define SYSTEM_ERROR_SIZE 256

struct system_error {
    char text[SYSTEM_ERROR_SIZE];
};

/*
 * Returns the text for a result of GetLastError or WSAGetLastError, with the number: "The system
 * cannot find the file specified (error 2)". Preserves GetLastError().
 */
struct system_error system_error(unsigned long number);

#endif
