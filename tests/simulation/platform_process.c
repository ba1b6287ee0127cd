/*
 * Implements further functions of the platform in the simulated world: input files, the log, the
 * host name, random numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/input_file.h"
#include "collector/platform/machine.h"
#include "collector/platform/process.h"
#include "collector/platform/service_manager.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/history.h"
#include "tests/simulation/world.h"

/* --- the log ---------------------------------------------------------------------------------- */

bool log_stream_write(const char *lines, size_t size, int wait_ms)
{
    (void)wait_ms;
    world_step();
    history_log(lines, size);
    world_trace("log: %.*s", (int)(size != 0 ? size - 1 : 0), lines);
    return true;
}

bool log_stream_is_journal(void)
{
    return false;
}

size_t terminal_columns(void)
{
    return 0;
}

bool terminal_has_colour(void)
{
    return false;
}

enum terminal_kind terminal_of_output(void)
{
    return TERMINAL_NONE;
}

/* --- files that are read ---------------------------------------------------------------------- */

struct input_file {
    const struct disk_node *node;
    uint64_t at;
};

int input_file_look(const char *path, bool *live, struct error *error)
{
    *live = false;
    if (disk_find(path) != NULL)
        return 0;
    error_set(error, EXIT_CODE_BAD_INPUT, "%s: cannot be opened: there is none", path);
    return -1;
}

int input_file_open(const char *path, struct input_file **out, struct error *error)
{
    bool live;
    world_step();
    if (input_file_look(path, &live, error) != 0)
        return -1;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return error_no_memory(error);
    (*out)->node = disk_find(path);
    return 0;
}

bool input_file_is_live(const struct input_file *file)
{
    (void)file;
    return false;
}

uint64_t input_file_size(const struct input_file *file)
{
    return file->node->size;
}

bool input_file_has_changed(const struct input_file *file)
{
    (void)file;
    return false;
}

/* No other user can read or change files of the simulated disk. */
enum input_exposure input_file_exposure(const struct input_file *file)
{
    (void)file;
    return EXPOSURE_NONE;
}

enum input_result input_file_read(struct input_file *file, void *bytes, size_t size, size_t *got,
                                  struct error *error)
{
    (void)error;
    world_step();
    *got = disk_read(file->node, file->at, bytes, world_chance(100) ? 1 : size);
    file->at += *got;
    return *got != 0 ? INPUT_BYTES : INPUT_END;
}

void input_file_wait(struct input_file *file)
{
    (void)file;
}

void input_file_wait_for(struct input_file *file, unsigned milliseconds)
{
    (void)file;
    (void)milliseconds;
}

void input_file_cancel(struct input_file *file)
{
    (void)file;
}

void input_file_close(struct input_file *file)
{
    free(file);
}

/* --- the process ------------------------------------------------------------------------------ */

bool environment_value(const char *name, char **value)
{
    (void)name;
    *value = NULL;
    return true;
}

bool environment_each(const char *prefix, bool (*visit)(void *context, const char *name),
                      void *context)
{
    (void)prefix;
    (void)visit;
    (void)context;
    return true;
}

size_t host_name(char text[HOST_NAME_SIZE])
{
    strcpy(text, "world");
    return strlen(text);
}

int random_bytes(uint8_t *bytes, size_t size, struct error *error)
{
    (void)error;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)world_below(256);
    return 0;
}

bool process_usage_read(struct process_usage *usage)
{
    (void)usage;
    return false;
}

/* --- no inherited sockets, no service manager ------------------------------------------------- */

const bool inherited_sockets_exist = false;

int inherited_sockets_take(struct error *error)
{
    (void)error;
    return 0;
}

void inherited_sockets_forget(void)
{
}

size_t inherited_socket_count(void)
{
    return 0;
}

struct inherited_socket inherited_socket_at(size_t index)
{
    world_fail("there is no inherited socket %zu", index);
}

bool inherited_socket_is(size_t index, const char *name)
{
    (void)index;
    (void)name;
    return false;
}

size_t inherited_sockets_named(const char *name)
{
    (void)name;
    return 0;
}

bool inherited_socket_listens(size_t index)
{
    (void)index;
    return false;
}

int service_manager_find(struct service_manager **out, struct error *error)
{
    (void)error;
    *out = NULL;
    return 0;
}

void service_manager_destroy(struct service_manager *manager)
{
    (void)manager;
}

int64_t service_manager_patience(const struct service_manager *manager)
{
    (void)manager;
    return 0;
}

/* The simulated world has no service manager. */
static int nobody(void)
{
    world_fail("something is reported to a service manager that is not there");
}

int service_manager_ready(struct service_manager *manager, struct error *error)
{
    (void)manager;
    (void)error;
    return nobody();
}

int service_manager_reloading(struct service_manager *manager, struct error *error)
{
    return service_manager_ready(manager, error);
}

int service_manager_stopping(struct service_manager *manager, int64_t most_ns, struct error *error)
{
    (void)most_ns;
    return service_manager_ready(manager, error);
}

int service_manager_status(struct service_manager *manager, const char *line, struct error *error)
{
    (void)line;
    return service_manager_ready(manager, error);
}

int service_manager_alive(struct service_manager *manager, struct error *error)
{
    return service_manager_ready(manager, error);
}
