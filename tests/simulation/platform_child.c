/* Implements collector/platform/child.h in the simulated world. */
#include "collector/platform/child.h"

#include <stdlib.h>
#include <string.h>

#include "tests/simulation/check_commands.h"
#include "tests/simulation/children.h"
#include "tests/simulation/world.h"

struct child {
    struct process *process; /* NULL if there is none */
    struct process *piped;   /* the program whose input is open, or NULL */
    struct command_row row;  /* the series of programs that it starts */
};

struct child *child_create(void)
{
    world_step();
    return calloc(1, sizeof(struct child));
}

/* Fails the world if the sink has not waited for its program. */
void child_destroy(struct child *child)
{
    if (child != NULL && (child->process != NULL || child->piped != NULL))
        world_fail("a program is not waited for");
    if (child != NULL)
        command_row_ends(&child->row);
    free(child);
}

int child_start(struct child *child, const char *command, struct error *error)
{
    const char *why;
    unsigned sink = commands_sink_of(command);
    if (child->process != NULL || child->piped != NULL)
        world_fail("a program of sink %u is started while one is there", sink);
    command_is_to_start(&child->row, sink);
    struct process *process = children_start(sink, &why);
    if (process == NULL) {
        command_cannot_start(&child->row);
        error_set(error, EXIT_CODE_IO, "cannot start a shell: %s", why);
        return -1;
    }
    command_starts(&child->row, &process->reader);
    child->process = child->piped = process;
    return 0;
}

/* --- the program's input ---------------------------------------------------------------------- */

static struct process *input_of(const struct child *child)
{
    if (child->piped == NULL)
        world_fail("the input of a program is closed");
    return child->piped;
}

/*
 * Returns the number of bytes that the pipe accepts. A small write is accepted as a whole or not at
 * all.
 */
static size_t room_for(const struct process *process, size_t size)
{
    size_t room = process->options->pipe - process->used;
    if (size <= CHILD_ATOMIC)
        return room < size ? 0 : size;
    size_t most = world_chance(50) ? 1 + (size_t)world_below(size) : size;
    return room < most ? room : most;
}

enum write_result child_write(struct child *child, const void *bytes, size_t size, size_t *written,
                              struct error *error)
{
    struct process *process = input_of(child);
    world_step();
    /* The write was interrupted again and again (EINTR). */
    if (!process->options->is_steady && world_chance(5)) {
        command_write_fails(&child->row);
        error_set(error, EXIT_CODE_IO, "cannot write: Interrupted system call");
        return WRITE_FAILED;
    }
    if (!process->read_open)
        return WRITE_CLOSED;
    size_t taken = room_for(process, size);
    if (taken == 0 || world_chance(20))
        return WRITE_WOULD_BLOCK;
    memcpy(process->bytes + process->used, bytes, taken);
    process->used += taken;
    command_given(&process->reader, bytes, taken);
    *written = taken;
    world_step();
    return WRITE_OK;
}

wait_handle child_input(const struct child *child)
{
    return child->piped == NULL ? NO_HANDLE : children_handle(child->piped);
}

size_t child_unread(const struct child *child)
{
    world_step();
    return input_of(child)->used;
}

size_t child_close_input(struct child *child)
{
    struct process *process = input_of(child);
    world_step();
    size_t unread = process->used;
    bool goes_on = process->read_open && !process->has_ended && !process->asked;
    process->used = 0;
    command_input_closes(&process->reader, unread, goes_on);
    process->write_open = false;
    child->piped = NULL;
    children_let_go(process);
    world_trace("closes the input of a command, %zu bytes unread", unread);
    world_step();
    return unread;
}

/* --- the program's end ------------------------------------------------------------------------ */

enum child_state child_look(struct child *child, struct child_end *end)
{
    struct process *process = child->process;
    world_step();
    if (!process->has_ended)
        return child->piped == NULL || process->read_open ? CHILD_RUNS : CHILD_NOT_READING;
    /* Another part of the process has already waited for the program, so its exit code is lost. */
    if (!process->options->is_steady && world_chance(10))
        process->end = (struct command_end){.unknown = true};
    *end = (struct child_end){
        .unknown = process->end.unknown,
        .killed = process->end.killed,
        .number = process->end.number,
    };
    process->was_reported = true;
    command_ends(&process->reader, &process->end);
    child->process = NULL;
    children_let_go(process);
    return CHILD_ENDED;
}

void child_terminate(struct child *child, bool now)
{
    world_step();
    if (child->process == NULL)
        return;
    world_trace("%s a command", now ? "kills" : "ends");
    command_is_to_end(&child->process->reader, now);
    child->process->asked = true;
    child->process->killed = child->process->killed || now;
}
