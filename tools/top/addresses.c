#include "tools/top/addresses.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "collector/platform/control.h"

/* The maximum number of this user's collectors that are tried. */
#define OWN_MOST 16

/* A search for a collector. `text` has the errors of all failed attempts. */
struct tried {
    struct connection **out;
    char *address;
    char text[sizeof((struct error *)NULL)->text];
};

/*
 * Tries to connect to `place`. On failure adds the error to `text`. If `own` is set, accepts only a
 * collector of this user or of the system. In a folder such as /tmp any user could listen.
 */
static bool try_address(struct tried *tried, const char *place, bool own)
{
    struct error error;
    if (connection_open(tried->out, place, &error) == 0) {
        snprintf(tried->address, CONTROL_ADDRESS_SIZE, "%s", place);
        if (!own || connection_is_own(*tried->out))
            return true;
        connection_close(*tried->out);
        snprintf(error.text, sizeof error.text, "%s: another user listens there", place);
    }
    size_t used = strlen(tried->text);
    snprintf(tried->text + used, sizeof tried->text - used, "%s%s", used != 0 ? "; " : "",
             error.text);
    return false;
}

static bool try_usual(struct tried *tried, const struct usual_address *usual)
{
    return usual->text != NULL && try_address(tried, usual->text, usual->own);
}

static bool is_usual(const char *address, const struct usual_address *usual)
{
    return usual->text != NULL && strcmp(address, usual->text) == 0;
}

static bool try_own(struct tried *tried)
{
    char own[OWN_MOST][CONTROL_ADDRESS_SIZE];
    size_t count = own_collectors_find(own, OWN_MOST);
    for (size_t i = 0; i < count; i++)
        if (!is_usual(own[i], &usual_service) && !is_usual(own[i], &usual_last) &&
            try_address(tried, own[i], true))
            return true;
    return false;
}

static int open_given(const char *given, struct connection **out, char *address,
                      struct error *error)
{
    struct error why;
    snprintf(address, CONTROL_ADDRESS_SIZE, "%s", given);
    if (connection_open(out, given, &why) == 0)
        return 0;
    *error = why;
    if (why.code == EXIT_CODE_CANNOT_BIND)
        error_set(error, why.code, "%s (is sluice running with --control?)", why.text);
    return -1;
}

int addresses_open(const char *given, struct connection **out, char address[CONTROL_ADDRESS_SIZE],
                   struct error *error)
{
    struct tried tried = {.out = out, .address = address};
    if (given != NULL)
        return open_given(given, out, address, error);
    if (try_usual(&tried, &usual_service) || try_own(&tried) || try_usual(&tried, &usual_last))
        return 0;
    error_set(error, EXIT_CODE_CANNOT_BIND,
              "no collector answers: %s; nor does one that you started with another --control. "
              "Name its address: sluice-top %s",
              tried.text, control_socket_syntax);
    return -1;
}
