#include "sinks/destinations/nats_login.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collector/base/secure_clear.h"
#include "collector/platform/input_file.h"
#include "sinks/destinations/property_file.h"

#define NSC_BEGIN "-----BEGIN NATS USER JWT-----"

/* The values in a file of properties. Exactly one of the three ways to log in must be used. */
struct login {
    const char *user, *password;
    const char *token;
    const char *nkey, *seed_file;
};

static int login_set(void *context, const char *name, const char *value, struct error *error)
{
    struct login *login = context;
    if (strcmp(name, "user") == 0) {
        login->user = value;
    } else if (strcmp(name, "password") == 0) {
        login->password = value;
    } else if (strcmp(name, "token") == 0) {
        login->token = value;
    } else if (strcmp(name, "nkey") == 0) {
        login->nkey = value;
    } else if (strcmp(name, "seed_file") == 0) {
        login->seed_file = value;
    } else {
        error_set(error, EXIT_CODE_CONFIG,
                  "only user=, password=, token=, nkey= and seed_file= are allowed here");
        return -1;
    }
    return 0;
}

/* The library reads the seed file at each connection. */
static natsStatus use(const struct nats_library *library, natsOptions *options,
                      const struct login *login)
{
    if (login->token != NULL)
        return library->natsOptions_SetToken(options, login->token);
    if (login->nkey != NULL)
        return library->natsOptions_SetNKeyFromSeed(options, login->nkey, login->seed_file);
    return library->natsOptions_SetUserInfo(options, login->user, login->password);
}

static int take_properties(const struct nats_library *library, natsOptions *options,
                           const char *path, char *text, struct error *error)
{
    struct login login = {.user = NULL};
    if (property_text_read(path, text, login_set, &login, error) != 0)
        return -1;
    bool pairs = (login.user == NULL) == (login.password == NULL) &&
                 (login.nkey == NULL) == (login.seed_file == NULL);
    int ways = (login.user != NULL) + (login.token != NULL) + (login.nkey != NULL);
    if (!pairs || ways != 1) {
        error_set(
            error, EXIT_CODE_CONFIG,
            "%s must have either user= and password=, or token=, or nkey= and seed_file=", path);
        return -1;
    }
    struct error why;
    if (login.seed_file != NULL && input_load_probe(login.seed_file, &why) != 0) {
        error_set(error, EXIT_CODE_CONFIG, "%s: seed_file=%s", path, why.text);
        return -1;
    }
    return use(library, options, &login) == NATS_OK ? 0 : error_no_memory(error);
}

int nats_login_read(const struct nats_library *library, natsOptions *options, const char *path,
                    struct error *error)
{
    char *text = malloc(PROPERTY_FILE_SIZE + 1);
    if (text == NULL)
        return error_no_memory(error);
    int result = property_file_load(path, text, PROPERTY_FILE_SIZE + 1, error);
    if (result == 0 && strstr(text, NSC_BEGIN) == NULL)
        result = take_properties(library, options, path, text, error);
    else if (result == 0 &&
             library->natsOptions_SetUserCredentialsFromFiles(options, path, NULL) != NATS_OK)
        result = error_no_memory(error);
    secure_clear(text, PROPERTY_FILE_SIZE + 1);
    free(text);
    return result;
}
