#include "sinks/destinations/nats_login.h"

#include <stdlib.h>
#include <string.h>

#include "sinks/destinations/property_file.h"

#define NSC_BEGIN "-----BEGIN NATS USER JWT-----"

struct login {
    const char *user, *password, *token;
};

static int take(void *context, const char *name, const char *value, struct error *error)
{
    struct login *login = context;
    if (strcmp(name, "user") == 0) {
        login->user = value;
    } else if (strcmp(name, "password") == 0) {
        login->password = value;
    } else if (strcmp(name, "token") == 0) {
        login->token = value;
    } else {
        error_set(error, EXIT_CODE_CONFIG, "only user=, password= and token= stand here");
        return -1;
    }
    return 0;
}

/* The values stay in the text, which the library copies. */
static int take_properties(const struct nats_library *library, natsOptions *options,
                           const char *path, char *text, struct error *error)
{
    struct login login = {NULL, NULL, NULL};
    if (property_text_read(path, text, take, &login, error) != 0)
        return -1;
    if ((login.token == NULL) == (login.user == NULL) ||
        (login.user == NULL) != (login.password == NULL)) {
        error_set(error, EXIT_CODE_CONFIG, "%s has neither user= and password= nor token= alone",
                  path);
        return -1;
    }
    natsStatus status = login.token != NULL
                            ? library->natsOptions_SetToken(options, login.token)
                            : library->natsOptions_SetUserInfo(options, login.user, login.password);
    return status == NATS_OK ? 0 : error_no_memory(error);
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
    memset(text, 0, PROPERTY_FILE_SIZE + 1);
    free(text);
    return result;
}
