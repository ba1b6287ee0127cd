#include "sinks/destinations/http_shapes.h"

#include "collector/base/rule.h"

/*
 * Number of tries after which the second shape is given up: some servers close the connection
 * instead of answering it.
 */
#define MOST_TRIES 3

size_t http_shapes_next(struct http_shapes *shapes)
{
    if (shapes->proven || shapes->only_second)
        return 1;
    if (!shapes->two || !shapes->taken || shapes->trying || shapes->given_up)
        return 0;
    shapes->trying = true;
    return 1;
}

/*
 * Returns true if the status does not depend on the request's shape: no answer, refused
 * credentials, a busy server, or a gateway.
 */
static bool says_nothing(long status)
{
    return status == 0 || status == 401 || status == 403 || status == 408 || status == 429 ||
           (status >= 502 && status <= 504);
}

bool http_shapes_answer(struct http_shapes *shapes, size_t shape, long status, bool proof)
{
    if (shapes->only_second)
        return false;
    if (shape == 0) {
        shapes->taken = shapes->taken || (status >= 200 && status <= 299);
        return false;
    }
    RULE(shape == 1 && shapes->two, "only a format with two shapes has an answer to the second");
    shapes->trying = false;
    if (proof || (shapes->proven && says_nothing(status))) {
        shapes->proven = true;
        return false;
    }
    if (says_nothing(status) && ++shapes->tries < MOST_TRIES) {
        shapes->taken = false;
        return false;
    }
    shapes->proven = false;
    shapes->given_up = true;
    return !says_nothing(status);
}
