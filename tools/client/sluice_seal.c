/* Implements sluice_seal.h; sealed.md describes the format of a sealed datagram. */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include "sluice_seal.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define VERSION      1
#define FILE_MOST    ((size_t)16 << 20) /* in bytes */
#define NAME_MOST    63                 /* in bytes */
#define NONCE_OFFSET 16
#define ALPHANUMERIC "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

_Static_assert(SLUICE_SEAL_TAG == crypto_aead_xchacha20poly1305_ietf_ABYTES,
               "one tag of both modes");
_Static_assert(SLUICE_SEAL_HEADER - NONCE_OFFSET == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
               "session, counter and time are the nonce");
_Static_assert(SLUICE_SEAL_KEY_SIZE == crypto_kdf_KEYBYTES, "keys of the files");

struct key {
    uint64_t id;
    int64_t not_before_ns, not_after_ns; /* since 1970 UTC */
    uint8_t bytes[SLUICE_SEAL_KEY_SIZE]; /* the subkey of the mode */
};

struct sealer {
    struct sluice_sealer functions; /* first, because the client has a pointer to it */
    atomic_flag taken;              /* a client uses the sealer */
    enum sluice_seal seal;
    uint64_t session;
    uint64_t counter; /* number of the last datagram of the session */
    size_t key_count;
    struct key keys[SLUICE_SEAL_KEYS_MOST];
};

/* --- sealing ---------------------------------------------------------------------------------- */

static void put_eight(uint8_t *at, uint64_t value)
{
    for (int i = 7; i >= 0; i--) {
        at[i] = (uint8_t)value;
        value >>= 8;
    }
}

static int begin(struct sluice_sealer *from)
{
    struct sealer *sealer = (struct sealer *)from;
    if (atomic_flag_test_and_set_explicit(&sealer->taken, memory_order_acquire))
        return EBUSY;
    randombytes_buf(&sealer->session, sizeof sealer->session);
    sealer->counter = 0;
    return 0;
}

static void end(struct sluice_sealer *from)
{
    atomic_flag_clear_explicit(&((struct sealer *)from)->taken, memory_order_release);
}

/*
 * Returns the valid key with the latest not-before time. If several have this time, returns the
 * last one in the file. Returns NULL if no key is valid now.
 */
static const struct key *valid_key(const struct sealer *sealer, int64_t now_ns)
{
    const struct key *best = NULL;
    for (size_t i = 0; i < sealer->key_count; i++) {
        const struct key *key = &sealer->keys[i];
        if (now_ns >= key->not_before_ns && now_ns <= key->not_after_ns &&
            (best == NULL || key->not_before_ns >= best->not_before_ns))
            best = key;
    }
    return best;
}

static int seal(struct sluice_sealer *from, uint8_t *datagram, size_t size)
{
    struct sealer *sealer = (struct sealer *)from;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    const struct key *key = valid_key(sealer, now_ns);
    if (key == NULL)
        return EACCES;
    const uint8_t first[8] = {'S', 'L', 'S', 'D', VERSION, (uint8_t)sealer->seal, 0, 0};
    memcpy(datagram, first, sizeof first);
    put_eight(datagram + 8, key->id);
    put_eight(datagram + 16, sealer->session);
    put_eight(datagram + 24, ++sealer->counter);
    put_eight(datagram + 32, (uint64_t)now_ns);
    uint8_t *content = datagram + SLUICE_SEAL_HEADER;
    if (sealer->seal == SLUICE_SEAL_ENCRYPTED)
        crypto_aead_xchacha20poly1305_ietf_encrypt(content, NULL, content, size, datagram,
                                                   SLUICE_SEAL_HEADER, NULL,
                                                   datagram + NONCE_OFFSET, key->bytes);
    else
        crypto_generichash(content + size, SLUICE_SEAL_TAG, datagram, SLUICE_SEAL_HEADER + size,
                           key->bytes, sizeof key->bytes);
    return 0;
}

/* --- opening ---------------------------------------------------------------------------------- */

static struct sealer *make(enum sluice_seal mode)
{
    if (mode != SLUICE_SEAL_AUTHENTICATED && mode != SLUICE_SEAL_ENCRYPTED) {
        errno = EINVAL;
        return NULL;
    }
    if (sodium_init() < 0) {
        errno = ENOSYS;
        return NULL;
    }
    struct sealer *sealer = sodium_malloc(sizeof *sealer);
    if (sealer == NULL) {
        errno = ENOMEM;
        return NULL;
    }
    memset(sealer, 0, sizeof *sealer);
    sealer->functions = (struct sluice_sealer){begin, seal, end};
    atomic_flag_clear(&sealer->taken);
    sealer->seal = mode;
    return sealer;
}

/* Adds a key without time limits, and returns it so that the caller can set them. */
static struct key *add_key(struct sealer *sealer, uint64_t id, const uint8_t *bytes)
{
    struct key *key = &sealer->keys[sealer->key_count++];
    key->id = id;
    key->not_before_ns = INT64_MIN;
    key->not_after_ns = INT64_MAX;
    crypto_kdf_derive_from_key(key->bytes, sizeof key->bytes, sealer->seal, "SluiceSD", bytes);
    return key;
}

struct sluice_sealer *sluice_sealer_open_key(uint64_t key_id,
                                             const uint8_t bytes[SLUICE_SEAL_KEY_SIZE],
                                             enum sluice_seal mode)
{
    if (key_id == 0 || bytes == NULL) {
        errno = EINVAL;
        return NULL;
    }
    struct sealer *sealer = make(mode);
    if (sealer == NULL)
        return NULL;
    add_key(sealer, key_id, bytes);
    return &sealer->functions;
}

void sluice_sealer_close(struct sluice_sealer *sealer)
{
    sodium_free(sealer); /* overwrites the keys */
}

/* --- times (RFC 3339) ------------------------------------------------------------------------- */

/* Reads `count` digits. Returns -1 if there are not enough. */
static int digits(const char *text, int count)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

static int month_length(int year, int month)
{
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 ? 28 + leap : 30 + (month + month / 8) % 2;
}

static int64_t days_to(int year, int month, int day)
{
    int64_t past = year - 1;
    int64_t days = past * 365 + past / 4 - past / 100 + past / 400 - 719162;
    for (int before = 1; before < month; before++)
        days += month_length(year, before);
    return days + day - 1;
}

/*
 * Reads a fraction of a second, such as ".5", if there is one. Sets *fraction_ns to it, or to 0.
 * Returns the text after it.
 */
static const char *read_fraction(const char *at, int64_t *fraction_ns)
{
    int64_t unit = 100000000;
    *fraction_ns = 0;
    if (*at != '.')
        return at;
    const char *first = ++at;
    for (; *at >= '0' && *at <= '9' && unit != 0; at++, unit /= 10)
        *fraction_ns += (*at - '0') * unit;
    return at != first ? at : ""; /* "" makes the caller refuse the time */
}

/* Reads "2026-01-31T12:00:00Z", with or without a fraction, in nanoseconds since 1970. */
static bool read_time(const char *text, int64_t *time_ns)
{
    if (strlen(text) < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' ||
        text[13] != ':' || text[16] != ':')
        return false;
    int64_t fraction_ns;
    int year = digits(text, 4), month = digits(text + 5, 2), day = digits(text + 8, 2);
    int hour = digits(text + 11, 2), minute = digits(text + 14, 2), second = digits(text + 17, 2);
    if (year < 1970 || year > 2261 || month < 1 || month > 12 || day < 1 ||
        day > month_length(year, month) || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59 || strcmp(read_fraction(text + 19, &fraction_ns), "Z") != 0)
        return false;
    int64_t seconds = days_to(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
    *time_ns = seconds * 1000000000 + fraction_ns;
    return true;
}

/* --- the file of keys ------------------------------------------------------------------------- */

struct reading {
    struct sealer *sealer;
    const char *path;
    char name[NAME_MOST + 1]; /* the name of the wanted keys; "": that of the first key */
    bool is_given;            /* the caller has given the name */
    char *why;                /* the reason of a failure is written here, unless NULL */
};

static int refuse(const struct reading *reading, int error, const char *what, const char *more)
{
    if (reading->why != NULL)
        snprintf(reading->why, SLUICE_SEALER_WHY, "%.80s: %s%.63s", reading->path, what, more);
    errno = error;
    return -1;
}

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    size_t length = strcspn(word, " \t");
    *at = word + length;
    if (length == 0)
        return NULL;
    if (**at != '\0')
        *(*at)++ = '\0';
    return word;
}

static bool read_key_id(const char *word, uint64_t *id)
{
    uint8_t bytes[8];
    size_t size;
    *id = 0;
    if (strlen(word) != 16 || sodium_hex2bin(bytes, sizeof bytes, word, 16, NULL, &size, NULL) != 0)
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        *id = *id << 8 | bytes[i];
    return *id != 0;
}

static bool read_key_bytes(const char *word, uint8_t bytes[SLUICE_SEAL_KEY_SIZE])
{
    size_t length = strlen(word), size = 0;
    if (length == 2 * SLUICE_SEAL_KEY_SIZE)
        return sodium_hex2bin(bytes, SLUICE_SEAL_KEY_SIZE, word, length, NULL, &size, NULL) == 0;
    if (strspn(word, ALPHANUMERIC "+/=") != length) /* libsodium accepts some bytes above 127 */
        return false;
    return sodium_base642bin(bytes, SLUICE_SEAL_KEY_SIZE, word, length, NULL, &size, NULL,
                             sodium_base64_VARIANT_ORIGINAL) == 0 &&
           size == SLUICE_SEAL_KEY_SIZE;
}

/* Reads a word "not-before=TIME" or "not-after=TIME". Refuses a second one. */
static bool read_limit(const char *word, const char *name, bool *has, int64_t *time_ns)
{
    size_t length = strlen(name);
    if (*has || strncmp(word, name, length) != 0)
        return false;
    *has = true;
    return read_time(word + length, time_ns);
}

static bool read_limits(char *at, int64_t *not_before_ns, int64_t *not_after_ns)
{
    bool has_before = false, has_after = false;
    for (char *word; (word = next_word(&at)) != NULL;)
        if (!read_limit(word, "not-before=", &has_before, not_before_ns) &&
            !read_limit(word, "not-after=", &has_after, not_after_ns))
            return false;
    return *not_before_ns <= *not_after_ns;
}

/* Accepts 1 to 63 letters, digits, '.', '_' and '-', beginning with a letter or a digit. */
static bool is_name(const char *text)
{
    size_t length = strspn(text, ALPHANUMERIC "._-");
    return length >= 1 && length <= NAME_MOST && text[length] == '\0' &&
           strchr("._-", text[0]) == NULL;
}

/*
 * Returns true if the sealer needs the key with this name. If the caller gave no name, the first
 * one in the file is used.
 */
static bool is_wanted(struct reading *reading, const char *name)
{
    if (reading->name[0] == '\0')
        memcpy(reading->name, name, strlen(name) + 1);
    return strcmp(reading->name, name) == 0;
}

static int read_line(struct reading *reading, char *line)
{
    uint64_t id;
    uint8_t bytes[SLUICE_SEAL_KEY_SIZE];
    int64_t not_before_ns = INT64_MIN, not_after_ns = INT64_MAX;
    char *name = next_word(&line);
    if (name == NULL)
        return 0;
    char *key_id = next_word(&line), *key = next_word(&line);
    if (key == NULL || !is_name(name) || !read_key_id(key_id, &id) || !read_key_bytes(key, bytes) ||
        !read_limits(line, &not_before_ns, &not_after_ns)) {
        sodium_memzero(bytes, sizeof bytes);
        return refuse(reading, EINVAL, "a line is not NAME KEYID KEY [not-before=TIME] ",
                      "[not-after=TIME]");
    }
    int result = 0;
    if (!is_wanted(reading, name)) {
        if (!reading->is_given)
            result = refuse(reading, EINVAL, "it has several names: choose one", "");
    } else if (reading->sealer->key_count == SLUICE_SEAL_KEYS_MOST) {
        result = refuse(reading, EINVAL, "too many keys of the name ", name);
    } else {
        struct key *added = add_key(reading->sealer, id, bytes);
        added->not_before_ns = not_before_ns;
        added->not_after_ns = not_after_ns;
    }
    sodium_memzero(bytes, sizeof bytes);
    return result;
}

static int read_lines(struct reading *reading, char *text)
{
    for (char *line = text; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        char *next = line + length + (line[length] == '\n');
        length = strcspn(line, "#\n"); /* without a comment, and without the CR of Windows */
        while (length != 0 && strchr(" \t\r", line[length - 1]) != NULL)
            length--;
        line[length] = '\0';
        if (read_line(reading, line) != 0)
            return -1;
        line = next;
    }
    if (reading->sealer->key_count != 0)
        return 0;
    return reading->is_given ? refuse(reading, EINVAL, "it has no key of the name ", reading->name)
                             : refuse(reading, EINVAL, "it has no key", "");
}

/*
 * Checks what the collector also checks: the owner is root or this user, the file's group cannot
 * write it, and other users have no access.
 */
static int check_file(const struct reading *reading, int file, size_t *size)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return refuse(reading, errno, strerror(errno), "");
    if (!S_ISREG(status.st_mode))
        return refuse(reading, EINVAL, "not a regular file", "");
    if (status.st_uid != 0 && status.st_uid != geteuid())
        return refuse(reading, EACCES, "its owner is neither root nor this user: chown it", "");
    if ((status.st_mode & S_IRWXO) != 0)
        return refuse(reading, EACCES, "other users may open it: use chmod o=", "");
    if ((status.st_mode & S_IWGRP) != 0)
        return refuse(reading, EACCES, "users of its group could change it: use chmod g-w", "");
    if ((size_t)status.st_size > FILE_MOST)
        return refuse(reading, EINVAL, "larger than 16 MiB", "");
    *size = (size_t)status.st_size;
    return 0;
}

static int read_text(const struct reading *reading, int file, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, text + done, size - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return refuse(reading, errno, strerror(errno), "");
        if (got == 0)
            break;
        done += (size_t)got;
    }
    text[done] = '\0';
    if (done != size)
        return refuse(reading, EINVAL, "it became shorter while it was read", "");
    return strlen(text) == done ? 0 : refuse(reading, EINVAL, "it has a zero byte", "");
}

static int read_open(struct reading *reading, int file)
{
    size_t size = 0;
    if (check_file(reading, file, &size) != 0)
        return -1;
    char *text = sodium_malloc(size + 1);
    if (text == NULL)
        return refuse(reading, ENOMEM, strerror(ENOMEM), "");
    int result = read_text(reading, file, text, size);
    if (result == 0)
        result = read_lines(reading, text);
    int error = errno;
    sodium_free(text);
    errno = error;
    return result;
}

static int read_file(struct reading *reading)
{
    /* O_NONBLOCK keeps the open of a named pipe from blocking. */
    int file = open(reading->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return refuse(reading, errno, strerror(errno), "");
    int result = read_open(reading, file);
    int error = errno;
    close(file);
    errno = error;
    return result;
}

struct sluice_sealer *sluice_sealer_open(const char *path, const char *name, enum sluice_seal mode,
                                         char why[SLUICE_SEALER_WHY])
{
    struct reading reading = {
        .path = path != NULL ? path : "", .is_given = name != NULL, .why = why};
    if (why != NULL)
        why[0] = '\0';
    if (path == NULL || (name != NULL && !is_name(name))) {
        refuse(&reading, EINVAL, "a path, and the name of a key or NULL, are needed", "");
        return NULL;
    }
    reading.sealer = make(mode);
    if (reading.sealer == NULL) {
        refuse(&reading, errno, errno == ENOSYS ? "libsodium does not work here" : strerror(errno),
               "");
        return NULL;
    }
    if (name != NULL)
        memcpy(reading.name, name, strlen(name) + 1);
    if (read_file(&reading) == 0)
        return &reading.sealer->functions;
    int error = errno;
    sluice_sealer_close(&reading.sealer->functions);
    errno = error;
    return NULL;
}
