/*
 * Short texts for numbers. Pure; any thread.
 */
#ifndef SLUICE_TOOLS_TOP_QUANTITY_H
#define SLUICE_TOOLS_TOP_QUANTITY_H

/* Bytes of the longest text with its NUL. */
#define QUANTITY_SIZE 16

/*
 * "0", "42", "0.5", "99999", "100k", "1.25M", "10.0G": at most six characters below 10^24. Numbers
 * below ten have one decimal if it is not zero. Negative numbers are written as 0.
 */
void quantity_write(double value, char text[QUANTITY_SIZE]);

/* Seconds as "9s", "5m 09s", "3h 05m", "12d 03h". */
void quantity_write_time(double seconds, char text[QUANTITY_SIZE]);

#endif
