#include "tools/command/value.h"

#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/config/url_authority.h"

int value_quantity(const char *text, enum quantity quantity, uint64_t least, uint64_t most,
                   uint64_t *out, struct error *error)
{
    uint64_t value = 0;
    const char *problem = quantity_parse(quantity, text, strlen(text), &value);
    if (problem == NULL && value >= least && value <= most) {
        *out = value;
        return 0;
    }
    if (problem != NULL) {
        error_set(error, EXIT_CODE_USAGE, "'%s' %s", text, problem);
        return -1;
    }
    char least_text[QUANTITY_TEXT_SIZE], most_text[QUANTITY_TEXT_SIZE];
    quantity_format(quantity, least, least_text);
    quantity_format(quantity, most, most_text);
    error_set(error, EXIT_CODE_USAGE, "'%s' is not between %s and %s", text, least_text, most_text);
    return -1;
}

int value_choice(const char *text, const char *const *names, size_t *out, struct error *error)
{
    char list[128] = "";
    size_t used = 0;
    for (size_t i = 0; names[i] != NULL; i++) {
        if (strcmp(text, names[i]) == 0) {
            *out = i;
            return 0;
        }
        size_t length = strlen(names[i]);
        if (used + length + 3 > sizeof list)
            continue;
        if (used != 0) {
            list[used++] = ',';
            list[used++] = ' ';
        }
        memcpy(list + used, names[i], length + 1);
        used += length;
    }
    error_set(error, EXIT_CODE_USAGE, "'%s' is not one of %s", text, list);
    return -1;
}

int value_rate(const char *text, uint64_t most, uint64_t *out, struct error *error)
{
    if (strcmp(text, "max") != 0)
        return value_quantity(text, QUANTITY_COUNT, 1, most, out, error);
    *out = 0;
    return 0;
}

int value_destination(const char *text, struct address *out, struct error *error)
{
    static const char scheme[] = "udp://";
    const char *place = text + sizeof scheme - 1;
    struct parse_error fault;
    if (strncmp(text, scheme, sizeof scheme - 1) != 0) {
        parse_error_set(&fault, 0, "it does not begin with %s", scheme);
    } else if (url_parse_authority(place, strlen(place), out, &fault)) {
        if (out->port != 0 && !address_needs_zone(out))
            return 0;
        parse_error_set(&fault, 0, "%s",
                        out->port == 0 ? "port 0 cannot be sent to" : ADDRESS_ZONE_MISSING);
    }
    error_set(error, EXIT_CODE_USAGE,
              "'%s' is not a destination: %s; use udp://HOST:PORT with a numeric host (IPv6 in "
              "brackets)",
              text, fault.text);
    return -1;
}
