/*
 * Prints the tables of keys and options for tests of the program, one per line:
 *
 *   SCOPE NAME            a key; once for each of its scopes
 *   reloaded NAME         an option of configuration files that a reload can change
 *   fixed NAME            an option of configuration files that only a restart can change
 *   command-line NAME     an option that configuration files cannot have
 *
 * With the argument "secrets" it prints the name of each key or option whose value is a secret or
 * the path of a file with one.
 */
#include <stdio.h>
#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/option_table.h"

static const struct {
    enum key_scope scope;
    const char *name;
} scopes[] = {
    {KEY_OF_UDP, "udp"},
    {KEY_OF_DTLS, "dtls"},
    {KEY_OF_STREAM, "tcp"},
    {KEY_OF_STREAM, "unix"},
    {KEY_OF_TCP, "tcp"},
    {KEY_OF_LOCAL, "unix"},
    {KEY_OF_CAPTURE, "capture"},
    {KEY_OF_SCHEMA, "schema"},
    {KEY_OF_FILE, "schema-file"},
    {KEY_OF_SINK, "sink"},
    {KEY_OF_FILE_SINK, "file"},
    {KEY_OF_RELAY_SINK, "relay"},
    {KEY_OF_DELIVERY_SINK, "delivery"},
    {KEY_OF_HTTP_SINK, "http"},
    {KEY_OF_KAFKA_SINK, "kafka"},
    {KEY_OF_NATS_SINK, "nats"},
    {KEY_OF_IN_FLIGHT, NULL}, /* no destination here has this scope */
    {KEY_OF_DEAD_LETTERS, "dead-letter"},
};

/* Returns false if the key has a scope that is not in the table. */
static bool print_key(const struct setting *key)
{
    unsigned left = key->scopes;
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++) {
        if ((key->scopes & scopes[i].scope) != 0 && scopes[i].name != NULL)
            printf("%s %s\n", scopes[i].name, key->name);
        left &= ~(unsigned)scopes[i].scope;
    }
    return left == 0;
}

static bool is_in_a_file(const struct option *option)
{
    return option->action == OPTION_LISTEN || option->action == OPTION_SINK ||
           option->action == OPTION_DEAD_LETTERS || option->action == OPTION_VALUE;
}

static void print_secret(const struct setting *setting)
{
    if (setting->secret || setting->secret_file)
        puts(setting->name);
}

static int print_secrets(void)
{
    for (const struct setting *key = config_keys; key->name != NULL; key++)
        print_secret(key);
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        print_secret(&option->setting);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "secrets") == 0)
        return print_secrets();
    for (const struct setting *key = config_keys; key->name != NULL; key++) {
        if (!print_key(key)) {
            fprintf(stderr, "setting_table: %s has a scope without a name here\n", key->name);
            return 1;
        }
    }
    for (const struct option *option = command_options; option->setting.name != NULL; option++)
        printf("%s %s\n",
               !is_in_a_file(option)            ? "command-line"
               : option->change == OPTION_FIXED ? "fixed"
                                                : "reloaded",
               option->setting.name);
    return 0;
}
