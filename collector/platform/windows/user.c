/*
 * Implements the user functions of collector/platform/process.h. Windows' processes cannot change
 * their user.
 */
#include "collector/platform/process.h"

int user_check(const char *user, struct error *error)
{
    (void)user;
    error_set(error, EXIT_CODE_CONFIG,
              "--user: not on Windows; give the service an account: sluice service install");
    return -1;
}

int user_ask(const char *user, int (*question)(const void *context, struct error *error),
             const void *context, struct error *error)
{
    (void)question;
    (void)context;
    return user_check(user, error);
}

int user_become(const char *user, struct error *error)
{
    return user_check(user, error);
}

int user_give(const char *user, int file, struct error *error)
{
    (void)file;
    return user_check(user, error);
}

void user_expect(void)
{
}
