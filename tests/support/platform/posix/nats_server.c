#include "tests/support/sinks/nats_server.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/platform/patience.h"
#include "tests/support/platform/scratch_directory.h"
#include "tests/support/test.h"

/* --- the process ------------------------------------------------------------------------------ */

static void run(const struct nats_server *server)
{
    char port[8], store[1200], ports[1200];
    snprintf(port, sizeof port, "%d", server->port == 0 ? -1 : (int)server->port);
    snprintf(store, sizeof store, "%s", scratch_path("nats"));
    snprintf(ports, sizeof ports, "%s", scratch_path(""));
    int log = open(scratch_path("nats.log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    if (server->user != NULL)
        execl(NATS_SERVER, NATS_SERVER, "-a", "127.0.0.1", "-p", port, "-js", "-sd", store,
              "--ports_file_dir", ports, "--user", server->user, "--pass", server->password, NULL);
    else
        execl(NATS_SERVER, NATS_SERVER, "-a", "127.0.0.1", "-p", port, "-js", "-sd", store,
              "--ports_file_dir", ports, NULL);
    _exit(127);
}

/* Returns the port that the server has written to its file, or 0 if it has not written one yet. */
static unsigned read_port(const struct nats_server *server)
{
    char name[64];
    snprintf(name, sizeof name, "nats-server_%d.ports", server->process);
    if (!scratch_has(name))
        return 0;
    size_t size;
    char *text = scratch_read(name, &size);
    const char *at = strstr(text, "127.0.0.1:");
    unsigned port = at == NULL ? 0 : (unsigned)strtoul(at + strlen("127.0.0.1:"), NULL, 10);
    free(text);
    return port;
}

/* --- requests to the server ------------------------------------------------------------------- */

struct asking {
    natsConnection *connection;
    jsCtx *stream;
};

static natsStatus begin(const struct nats_server *server, struct asking *asking)
{
    char url[200];
    if (server->user != NULL)
        snprintf(url, sizeof url, "nats://%s:%s@127.0.0.1:%u", server->user, server->password,
                 server->port);
    else
        snprintf(url, sizeof url, "nats://127.0.0.1:%u", server->port);
    natsStatus status = natsConnection_ConnectTo(&asking->connection, url);
    if (status != NATS_OK)
        return status;
    status = natsConnection_JetStream(&asking->stream, asking->connection, NULL);
    if (status != NATS_OK)
        natsConnection_Destroy(asking->connection);
    return status;
}

static void end(struct asking *asking)
{
    jsCtx_Destroy(asking->stream);
    natsConnection_Destroy(asking->connection);
}

static bool answers(const struct nats_server *server)
{
    struct asking asking;
    if (begin(server, &asking) != NATS_OK)
        return false;
    jsAccountInfo *info = NULL;
    natsStatus status = js_GetAccountInfo(&info, asking.stream, NULL, NULL);
    jsAccountInfo_Destroy(info);
    end(&asking);
    return status == NATS_OK;
}

void nats_server_start(struct nats_server *server)
{
    server->process = fork();
    assert_true(server->process >= 0);
    if (server->process == 0)
        run(server);
    int64_t until = patience_until();
    while (server->port == 0) {
        server->port = read_port(server);
        assert_true(patience(until));
    }
    while (!answers(server))
        assert_true(patience(until));
}

void nats_server_kill(struct nats_server *server)
{
    if (server->process == 0)
        return;
    kill(server->process, SIGKILL);
    assert_int_equal(waitpid(server->process, NULL, 0), server->process);
    server->process = 0;
}

void nats_server_freeze(const struct nats_server *server)
{
    int status;
    assert_int_equal(kill(server->process, SIGSTOP), 0);
    assert_int_equal(waitpid(server->process, &status, WUNTRACED), server->process);
    assert_true(WIFSTOPPED(status));
}

void nats_server_thaw(const struct nats_server *server)
{
    assert_int_equal(kill(server->process, SIGCONT), 0);
}

void nats_server_add_stream(const struct nats_server *server, const char *name,
                            const char *subjects, int32_t max_message)
{
    struct asking asking;
    assert_int_equal(begin(server, &asking), NATS_OK);
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = name;
    config.Subjects = &subjects;
    config.SubjectsLen = 1;
    config.MaxMsgSize = max_message;
    assert_int_equal(js_AddStream(NULL, asking.stream, &config, NULL, NULL), NATS_OK);
    end(&asking);
}

uint64_t nats_server_count(const struct nats_server *server, const char *name)
{
    struct asking asking;
    assert_int_equal(begin(server, &asking), NATS_OK);
    jsStreamInfo *info = NULL;
    assert_int_equal(js_GetStreamInfo(&info, asking.stream, name, NULL, NULL), NATS_OK);
    uint64_t count = info->State.Msgs;
    jsStreamInfo_Destroy(info);
    end(&asking);
    return count;
}

natsMsg *nats_server_message(const struct nats_server *server, const char *name, uint64_t number)
{
    struct asking asking;
    natsMsg *message = NULL;
    assert_int_equal(begin(server, &asking), NATS_OK);
    assert_int_equal(js_GetMsg(&message, asking.stream, name, number, NULL, NULL), NATS_OK);
    end(&asking);
    return message;
}
