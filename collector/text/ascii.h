/* Converts letters of ASCII to lower case, whatever the locale. Pure functions; any thread. */
#ifndef SLUICE_COLLECTOR_TEXT_ASCII_H
#define SLUICE_COLLECTOR_TEXT_ASCII_H

/* Returns the character, in lower case if it is a letter from A to Z. */
static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

#endif
