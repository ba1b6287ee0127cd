#include "tools/sending/sealing.h"

#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/clock.h"
#include "collector/platform/machine.h"
#include "collector/senders/sender_keys.h"

static bool is_mode(const char *mode)
{
    return strcmp(mode, "encrypted") == 0 || strcmp(mode, "authenticated") == 0;
}

const char *sealing_conflict(const struct sealing_settings *settings)
{
    if (settings->keys == NULL && (settings->key != NULL || settings->mode != NULL))
        return "--key and --seal need --keys FILE";
    if (settings->mode != NULL && !is_mode(settings->mode))
        return "--seal is encrypted or authenticated";
    return NULL;
}

static int choose_key(const struct sealing_settings *settings, const struct sender_keys *keys,
                      struct sealing *out, struct error *error)
{
    struct error reason;
    const struct sender_key *key =
        sender_keys_for_sending(keys, settings->key, clock_wall_ns(), &reason);
    if (key == NULL) {
        error_set(error, reason.code, "--keys: %s: %s", settings->keys, reason.text);
        return -1;
    }
    out->key = key->seal;
    out->header.key_id = key->id;
    return 0;
}

int sealing_begin(const struct sealing_settings *settings, struct sealing *out, struct error *error)
{
    const struct sender_keys_options options = {.path = settings->keys, .for_sending = true};
    struct sender_keys *keys = NULL;
    bool authenticated = settings->mode != NULL && strcmp(settings->mode, "authenticated") == 0;
    *out = (struct sealing){.header.mode = authenticated ? SEALED_AUTHENTICATED : SEALED_ENCRYPTED};
    struct error reason;
    if (sender_keys_load(&options, &keys, &reason) != 0) {
        error_set(error, reason.code, "--keys: %s", reason.text);
        return -1;
    }
    int result = choose_key(settings, keys, out, error);
    sender_keys_release(keys);
    if (result == 0)
        result = random_bytes((uint8_t *)&out->header.session, sizeof out->header.session, error);
    if (result != 0)
        sealing_end(out);
    return result;
}

size_t sealing_seal(struct sealing *sealing, const void *payload, size_t size, int64_t time_ns,
                    uint8_t *datagram)
{
    sealing->header.counter++;
    sealing->header.time_ns = time_ns;
    sealed_seal(&sealing->key, &sealing->header, payload, size, datagram);
    return size + SEALED_OVERHEAD;
}

void sealing_end(struct sealing *sealing)
{
    secure_clear(sealing, sizeof *sealing);
}
