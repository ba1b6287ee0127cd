#include "collector/metrics/metrics_token.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/log/log.h"
#include "collector/metrics/http_text.h"
#include "collector/platform/input_file.h"
#include "collector/platform/machine.h"
#include "collector/text/base64.h"
#include "collector/text/copy.h"

/*
 * The maximum number of bytes read from a token file. After the token and its line break, further
 * bytes are ignored.
 */
#define FILE_MOST 2048

/* Networks whose wrong tokens are counted; the oldest one is replaced. */
#define NETWORKS 64

/* The maximum size in bytes of a user's name, a colon and a token. */
#define CREDENTIALS_MOST (2 * METRICS_TOKEN_MOST)

/* Allocated by secret_memory_create (collector/platform/machine.h). */
struct secret {
    size_t size;
    char token[METRICS_TOKEN_MOST];
    union {
        char file[FILE_MOST];
        uint8_t credentials[CREDENTIALS_MOST];
    };
};

struct tries {
    struct address network;
    unsigned count;
    int64_t until_ns; /* the end of the period (monotonic), or 0 if unused */
};

struct metrics_token {
    char *path;
    struct secret *secret;
    struct tries tries[NETWORKS];
};

/* --- the file --------------------------------------------------------------------------------- */

static struct secret *secret_create(void)
{
    return secret_memory_create(sizeof(struct secret));
}

static void secret_destroy(struct secret *secret)
{
    secret_memory_destroy(secret, sizeof *secret);
}

static int token_refuse(const char *path, const char *why, struct error *error)
{
    error_set(error, EXIT_CODE_CONFIG, "--metrics-token-file %s: %s", path, why);
    return -1;
}

/* Checks the open file and not its name, which could be renamed to another file in between. */
static const char *why_exposed(const struct input_file *file)
{
    if (input_file_is_live(file))
        return "it is not a regular file";
    switch (input_file_exposure(file)) {
    case EXPOSURE_OTHERS:
        return "other users may open it: chmod o= FILE";
    case EXPOSURE_GROUP:
        return "users of its group could change it: chmod g-w FILE";
    case EXPOSURE_OWNER:
        return "it belongs to another user: chown it to the user of this program or to root";
    case EXPOSURE_NONE:
        break;
    }
    return NULL;
}

/* Stores the first line of the file, without blanks around it, as the token. */
static const char *take_line(struct secret *secret, size_t size)
{
    const char *end = memchr(secret->file, '\n', size);
    struct text line = {secret->file, end == NULL ? size : (size_t)(end - secret->file)};
    if (line.size != 0 && line.data[line.size - 1] == '\r')
        line.size--;
    line = http_trimmed(line);
    for (size_t i = 0; i < line.size; i++)
        if (line.data[i] <= ' ' || line.data[i] > '~')
            return "its first line is not a token: letters, digits and signs of ASCII without "
                   "blanks; make one: openssl rand -base64 32";
    if (line.size < METRICS_TOKEN_LEAST)
        return "its first line has fewer than 16 characters, which can be guessed; make a token: "
               "openssl rand -base64 32";
    if (line.size > sizeof secret->token)
        return "its first line has more than 512 characters";
    memcpy(secret->token, line.data, line.size);
    secret->size = line.size;
    return NULL;
}

static const char *read_token(struct input_file *input, struct secret *secret, struct error *why)
{
    size_t size = 0, got;
    enum input_result result = INPUT_BYTES;
    while (size < sizeof secret->file && result == INPUT_BYTES) {
        result = input_file_read(input, secret->file + size, sizeof secret->file - size, &got, why);
        size += result == INPUT_BYTES ? got : 0;
    }
    if (result == INPUT_FAILED)
        return why->text;
    return take_line(secret, size);
}

static int load_secret(const char *path, struct secret *secret, struct error *error)
{
    struct input_file *input;
    struct error reason;
    if (input_file_open(path, &input, &reason) != 0) {
        error_set(error, EXIT_CODE_CONFIG, "--metrics-token-file %s", reason.text);
        return -1;
    }
    const char *why = why_exposed(input);
    if (why == NULL)
        why = read_token(input, secret, &reason);
    input_file_close(input);
    secure_clear(secret->file, sizeof secret->file);
    return why == NULL ? 0 : token_refuse(path, why, error);
}

int metrics_token_check_file(const char *path, struct error *error)
{
    struct secret *secret = secret_create();
    int result = secret == NULL ? error_no_memory(error) : load_secret(path, secret, error);
    secret_destroy(secret);
    return result;
}

int metrics_token_load(struct metrics_token *token, struct error *error)
{
    struct secret *next = secret_create();
    if (next == NULL)
        return error_no_memory(error);
    if (load_secret(token->path, next, error) != 0) {
        secret_destroy(next);
        return -1;
    }
    secret_destroy(token->secret);
    token->secret = next;
    return 0;
}

int metrics_token_create(struct metrics_token **out, const char *path, struct error *error)
{
    struct metrics_token *token = calloc(1, sizeof *token);
    if (token != NULL)
        token->path = text_copy(path, strlen(path));
    if (token == NULL || token->path == NULL) {
        metrics_token_destroy(token);
        return error_no_memory(error);
    }
    if (metrics_token_load(token, error) != 0) {
        metrics_token_destroy(token);
        return -1;
    }
    *out = token;
    return 0;
}

void metrics_token_destroy(struct metrics_token *token)
{
    if (token == NULL)
        return;
    secret_destroy(token->secret);
    free(token->path);
    free(token);
}

/* --- wrong tokens ----------------------------------------------------------------------------- */

static bool is_over(const struct tries *tries, int64_t now_ns)
{
    return tries->until_ns <= now_ns;
}

static struct tries *tries_of(struct metrics_token *token, const struct address *network,
                              int64_t now_ns)
{
    for (size_t i = 0; i < NETWORKS; i++)
        if (!is_over(&token->tries[i], now_ns) &&
            address_same_host(&token->tries[i].network, network))
            return &token->tries[i];
    return NULL;
}

static void note_wrong(struct metrics_token *token, const struct address *network, int64_t now_ns)
{
    struct tries *tries = tries_of(token, network, now_ns);
    if (tries != NULL) {
        tries->count++;
        return;
    }
    tries = &token->tries[0];
    for (size_t i = 1; i < NETWORKS; i++)
        if (token->tries[i].until_ns < tries->until_ns)
            tries = &token->tries[i];
    *tries = (struct tries){*network, 1, now_ns + METRICS_TOKEN_PERIOD_NS};
    char text[ADDRESS_TEXT_SIZE];
    address_format_host(network, text);
    log_line(LOG_WARNING, "metrics: refused a request with a wrong token from the network of %s",
             text);
}

/* --- requests --------------------------------------------------------------------------------- */

/* Compares all bytes, so that the time does not depend on the number of correct bytes. */
static bool is_token(const struct secret *secret, struct text given)
{
    volatile unsigned different = secret->size != given.size;
    for (size_t i = 0; i < secret->size; i++) {
        unsigned char other = i < given.size ? (unsigned char)given.data[i] : 0;
        different |= (unsigned)((unsigned char)secret->token[i] ^ other);
    }
    return different == 0;
}

static bool is_password(struct secret *secret, struct text encoded)
{
    size_t used = 0;
    if (base64_most(encoded.size) > sizeof secret->credentials ||
        base64_decode(encoded.data, encoded.size, secret->credentials, &used) != encoded.size)
        return false;
    const char *credentials = (const char *)secret->credentials;
    const char *colon = memchr(credentials, ':', used);
    bool right =
        colon != NULL &&
        is_token(secret, (struct text){colon + 1, used - (size_t)(colon + 1 - credentials)});
    secure_clear(secret->credentials, sizeof secret->credentials);
    return right;
}

/* If the value begins with the scheme, removes the scheme and returns true. */
static bool take_scheme(struct text *value, const char *scheme)
{
    struct text word = {value->data, strlen(scheme)};
    if (value->size <= word.size || value->data[word.size] != ' ' || !http_is_named(&word, scheme))
        return false;
    *value = http_trimmed((struct text){value->data + word.size, value->size - word.size});
    return true;
}

static bool is_right(struct secret *secret, const char *authorization)
{
    struct text value = {authorization, strlen(authorization)};
    return take_scheme(&value, "bearer")
               ? is_token(secret, value)
               : take_scheme(&value, "basic") && is_password(secret, value);
}

/* Returns true for a local socket, for 127.0.0.0/8, and for ::1, whose /64 network is "::". */
static bool is_this_machine(const struct address *network)
{
    if (network->family == ADDRESS_IPV4)
        return network->bytes[0] == 127;
    return network->family != ADDRESS_IPV6 || address_is_wildcard(network);
}

enum metrics_admission metrics_token_check(struct metrics_token *token, const char *authorization,
                                           const struct address *network, int64_t now_ns)
{
    if (authorization == NULL)
        return METRICS_NO_TOKEN;
    const struct tries *tries = tries_of(token, network, now_ns);
    bool too_many = tries != NULL && tries->count >= METRICS_TOKEN_TRIES;
    if (too_many && !is_this_machine(network))
        return METRICS_TOO_MANY_TRIES;
    if (is_right(token->secret, authorization))
        return METRICS_ADMITTED;
    if (too_many)
        return METRICS_TOO_MANY_TRIES;
    note_wrong(token, network, now_ns);
    return METRICS_WRONG_TOKEN;
}
