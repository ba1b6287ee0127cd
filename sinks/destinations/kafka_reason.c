#include "sinks/destinations/kafka_reason.h"

#include <stdio.h>
#include <string.h>

#include "collector/base/parse_error.h"

/*
 * Copies the text up to `end` (NULL: the whole text). The text may come from a broker, so
 * unprintable characters are replaced.
 */
static void copy_part(char part[KAFKA_REASON_SIZE], const char *begin, const char *end)
{
    copy_printable(part, KAFKA_REASON_SIZE, begin,
                   end == NULL ? strlen(begin) : (size_t)(end - begin));
}

static const char *after(const char *text, const char *words)
{
    const char *at = strstr(text, words);
    return at == NULL ? NULL : at + strlen(words);
}

/* Reads "... MessageSet with 1 message(s) (...) encountered error: ERROR (actions ...)". */
static bool read_refusal(const char *text, char reason[KAFKA_REASON_SIZE])
{
    char error[KAFKA_REASON_SIZE];
    const char *begin = after(text, " encountered error: ");
    if (begin == NULL)
        return false;
    copy_part(error, begin, strstr(begin, " (actions "));
    snprintf(reason, KAFKA_REASON_SIZE, "the messages are refused: %.200s", error);
    return true;
}

/* Reads "... Error in metadata reply for topic TOPIC (PartCnt 0): ERROR". */
static bool read_topic(const char *text, char reason[KAFKA_REASON_SIZE])
{
    char topic[KAFKA_REASON_SIZE], error[KAFKA_REASON_SIZE];
    const char *begin = after(text, "Error in metadata reply for topic ");
    const char *end = begin == NULL ? NULL : strstr(begin, " (PartCnt ");
    const char *why = end == NULL ? NULL : after(end, "): ");
    if (why == NULL)
        return false;
    copy_part(topic, begin, end);
    copy_part(error, why, NULL);
    if (strstr(error, "Unknown topic") != NULL)
        snprintf(reason, KAFKA_REASON_SIZE,
                 "topic %.120s is missing at the brokers; create it (%.80s)", topic, error);
    else
        snprintf(reason, KAFKA_REASON_SIZE, "topic %.120s: %.100s", topic, error);
    return true;
}

/* Reads "... Failed to acquire idempotence PID from broker BROKER: ERROR: retrying". */
static bool read_start(const char *text, char reason[KAFKA_REASON_SIZE])
{
    const char *begin = after(text, "Failed to acquire idempotence PID from ");
    char error[KAFKA_REASON_SIZE];
    if (begin == NULL)
        return false;
    copy_part(error, begin, strstr(begin, ": retrying"));
    snprintf(reason, KAFKA_REASON_SIZE, "no producer number from %.200s", error);
    return true;
}

bool kafka_reason_read(const char *facility, const char *text, char reason[KAFKA_REASON_SIZE])
{
    if (strcmp(facility, "MSGSET") == 0)
        return read_refusal(text, reason);
    if (strcmp(facility, "METADATA") == 0)
        return read_topic(text, reason);
    return strcmp(facility, "GETPID") == 0 && read_start(text, reason);
}

/* --- certificates ----------------------------------------------------------------------------- */

/* Errors of OpenSSL's X.509 verification. */
enum {
    NOT_YET_VALID = 9,
    HAS_EXPIRED = 10,
    SELF_SIGNED = 18,
    UNKNOWN_ISSUER_LAST = 21, /* the last of the range that begins with SELF_SIGNED */
    OTHER_NAME = 62,
    OTHER_NAME_LAST = 64
};

/* A UTCTime of ASN.1: its tag, its length, and YYMMDDHHMMSSZ. */
#define TIME_SIZE 15
static bool is_time(const char *at)
{
    bool digits = true;
    for (int i = 2; i < TIME_SIZE - 1; i++)
        digits = digits && at[i] >= '0' && at[i] <= '9';
    return digits && at[0] == 0x17 && at[1] == TIME_SIZE - 2 && at[TIME_SIZE - 1] == 'Z';
}

/* Writes " on DATE" with the end of the certificate's validity, or "" if it is not found. */
static void write_end(const char *certificate, size_t size, char text[16])
{
    text[0] = '\0';
    for (size_t at = 0; at + 2 * TIME_SIZE <= size; at++) {
        const char *end = certificate + at + TIME_SIZE;
        if (!is_time(certificate + at) || !is_time(end))
            continue;
        snprintf(text, 16, " on 20%.2s-%.2s-%.2s", end + 2, end + 4, end + 6);
        return;
    }
}

void kafka_reason_write_refused(int code, const char *certificate, size_t size, char *text,
                                size_t room)
{
    char end[16];
    write_end(certificate, size, end);
    if (code == HAS_EXPIRED)
        snprintf(text, room, "the server's certificate expired%s: renew it there", end);
    else if (code == NOT_YET_VALID)
        snprintf(text, room,
                 "the server's certificate is not valid yet: check the clocks of both machines");
    else if (code >= OTHER_NAME && code <= OTHER_NAME_LAST)
        snprintf(text, room,
                 "the server's certificate is for another name than that in the sink's URL");
    else if (code >= SELF_SIGNED && code <= UNKNOWN_ISSUER_LAST)
        snprintf(text, room,
                 "the server's certificate has an unknown issuer: ssl.ca.location must name it");
    else
        snprintf(text, room, "the server's certificate was refused (X.509 error %d)", code);
}

/* Reads "... Certificate (subject=S, issuer=I) verification callback failed: TEXT". */
bool kafka_reason_read_refused(const char *facility, const char *text,
                               char reason[KAFKA_REASON_SIZE])
{
    char names[KAFKA_REASON_SIZE], why[KAFKA_REASON_SIZE];
    const char *begin = after(text, ": Certificate (");
    const char *end = begin == NULL ? NULL : strstr(begin, ") verification callback failed: ");
    if (end == NULL || strcmp(facility, "SSLCERTVRFY") != 0)
        return false;
    copy_part(names, begin, end);
    copy_part(why, after(end, "failed: "), NULL);
    snprintf(reason, KAFKA_REASON_SIZE, "%.120s (%.120s)", why, names);
    return true;
}

bool kafka_reason_is_certificate(const char *error)
{
    return strstr(error, "certificate verify failed") != NULL;
}
