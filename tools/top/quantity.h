/*
 * Writes numbers as short texts. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_TOP_QUANTITY_H
#define SLUICE_TOOLS_TOP_QUANTITY_H

/* The maximum number of bytes of a text, with its NUL. */
#define QUANTITY_SIZE 16

/*
 * Writes a number, such as "0", "42", "0.5", "99999", "100k", "1.25M" or "10.0G". A number below
 * 10^24 has at most six characters. A number below ten has one decimal if it is not zero. A
 * negative number is written as 0.
 */
void quantity_write(double value, char text[QUANTITY_SIZE]);

/* Writes bytes with a binary unit: "512 B", "3.2 GiB", "4 GiB". */
void quantity_write_bytes(double bytes, char text[QUANTITY_SIZE]);

/* Writes seconds as "9s", "5m 09s", "3h 05m" or "12d 03h". */
void quantity_write_time(double seconds, char text[QUANTITY_SIZE]);

#endif
