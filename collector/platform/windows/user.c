/* collector/user.h where who a process is was settled when it was started. */
#include "collector/user.h"

int user_check(const char *user, struct error *error)
{
    (void)user;
    error_set(error, EXIT_CODE_CONFIG,
              "--user: here a service has an account: sluice service install");
    return -1;
}

int user_become(const char *user, struct error *error)
{
    return user_check(user, error);
}
