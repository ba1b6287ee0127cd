/*
 * Converts days to dates of the proleptic Gregorian calendar, in UTC. Pure; any thread.
 */
#ifndef SLUICE_COLLECTOR_TEXT_CALENDAR_H
#define SLUICE_COLLECTOR_TEXT_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

/* Number of days from 0000-03-01 to 1970-01-01. */
#define CALENDAR_DAYS_BEFORE_1970 719468

struct calendar_date {
    uint32_t year;
    uint32_t month;   /* month of the year, from 1 */
    uint32_t day;     /* of the month, from 1 */
    uint32_t of_year; /* the day of the year, from 1 */
};

static inline bool calendar_is_leap(uint32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/*
 * Returns the date of a day that is counted from 0000-03-01, up to the end of the year 9999. With
 * years that begin in March, the leap day is the last day of a year, and the lengths of months
 * repeat every five months (153 days).
 */
static inline struct calendar_date calendar_date_of(uint32_t day)
{
    const uint32_t per_400_years = 146097;
    const uint32_t per_4_years = 1461;
    const uint32_t from_march = 306; /* days of a year from March to December */

    uint32_t quarter_days = 4 * day + 3;
    uint32_t century = quarter_days / per_400_years;
    uint32_t of_century = quarter_days % per_400_years / 4;
    quarter_days = 4 * of_century + 3;
    uint32_t year_of_century = quarter_days / per_4_years;
    uint32_t of_year = quarter_days % per_4_years / 4;
    uint32_t month = (5 * of_year + 461) / 153; /* 3 for March, 14 for February */
    struct calendar_date date = {.year = 100 * century + year_of_century, .month = month};
    date.day = of_year - (153 * month - 457) / 5 + 1;
    if (month > 12) {
        date.month = month - 12;
        date.year++;
        date.of_year = of_year - from_march + 1;
    } else {
        date.of_year = of_year + 60 + calendar_is_leap(date.year);
    }
    return date;
}

#endif
