#include "tools/top/quantity.h"

#include <stdio.h>

#define EXACT_BELOW 99999.5

void quantity_write(double value, char text[QUANTITY_SIZE])
{
    static const char units[] = "kMGTPEZ";
    const char *unit = units;
    if (!(value > 0)) {
        snprintf(text, QUANTITY_SIZE, "0");
    } else if (value < 9.95) {
        int tenths = (int)(value * 10 + 0.5);
        snprintf(text, QUANTITY_SIZE, tenths % 10 == 0 ? "%d" : "%d.%d", tenths / 10, tenths % 10);
    } else if (value < EXACT_BELOW) {
        snprintf(text, QUANTITY_SIZE, "%.0f", value);
    } else {
        for (value /= 1000; value >= 999.5 && unit[1] != '\0'; unit++)
            value /= 1000;
        int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
        snprintf(text, QUANTITY_SIZE, "%.*f%c", decimals, value, *unit);
    }
}

void quantity_write_bytes(double bytes, char text[QUANTITY_SIZE])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    char number[QUANTITY_SIZE - 4];
    for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; unit++)
        bytes /= 1024;
    int tenths = bytes > 0 ? (int)(bytes * 10 + 0.5) : 0;
    snprintf(number, sizeof number, bytes < 99.95 && tenths % 10 != 0 ? "%d.%d" : "%d", tenths / 10,
             tenths % 10);
    snprintf(text, QUANTITY_SIZE, "%s %s", number, units[unit]);
}

void quantity_write_time(double seconds, char text[QUANTITY_SIZE])
{
    unsigned s = seconds < 0 ? 0 : seconds > 4e9 ? 4000000000u : (unsigned)seconds;
    unsigned m = s / 60;
    unsigned h = m / 60;
    unsigned d = h / 24;
    if (d != 0)
        snprintf(text, QUANTITY_SIZE, "%ud %02uh", d, h % 24);
    else if (h != 0)
        snprintf(text, QUANTITY_SIZE, "%uh %02um", h, m % 60);
    else if (m != 0)
        snprintf(text, QUANTITY_SIZE, "%um %02us", m, s % 60);
    else
        snprintf(text, QUANTITY_SIZE, "%us", s);
}
