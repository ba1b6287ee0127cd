#include "tools/bench/workload.h"

#include <stdlib.h>
#include <string.h>

#include "collector/capture/capture.h"
#include "proto/schemas.h"

#define DATAGRAM_MAX 65536

static int no_memory(struct error *error)
{
    return error_no_memory(error);
}

static int add(struct workload *workload, const void *data, size_t size, struct error *error)
{
    size_t used = workload->count == 0 ? 0 : workload->offsets[workload->count];
    uint8_t *bytes = realloc(workload->bytes, used + size + 1);
    if (bytes == NULL)
        return no_memory(error);
    workload->bytes = bytes;
    size_t *offsets = realloc(workload->offsets, (workload->count + 2) * sizeof *offsets);
    if (offsets == NULL)
        return no_memory(error);
    workload->offsets = offsets;
    offsets[workload->count] = used;
    offsets[++workload->count] = used + size;
    if (size != 0)
        memcpy(bytes + used, data, size);
    return 0;
}

static int make_schema(struct workload *workload, const char *name, size_t length,
                       struct error *error)
{
    for (size_t i = 0; builtin_schemas[i] != NULL; i++) {
        const struct schema_ops *ops = builtin_schemas[i];
        if (strlen(ops->name) != length || memcmp(ops->name, name, length) != 0)
            continue;
        const struct schema_options options = {.source = ops->name};
        return ops->create(&options, &workload->schema, error);
    }
    error_set(error, EXIT_CODE_USAGE, "\"%s\" is not SCHEMA:FILE with a built-in schema", name);
    return -1;
}

int workload_of_traffic(struct workload *workload, const struct traffic *traffic,
                        struct error *error)
{
    static uint8_t bytes[DATAGRAM_MAX];
    struct message_template made = {0};
    workload->name = traffic->name;
    int result = make_schema(workload, "telemetry", 9, error);
    if (result == 0)
        result = traffic_template(traffic, &made, error);
    if (result == 0)
        result = add(workload, bytes,
                     message_template_stamp(&made, TRAFFIC_FIRST_NUMBER,
                                            UINT64_C(1767225600000000000), bytes),
                     error);
    message_template_clear(&made);
    return result;
}

/* All datagrams of a capture; `name` is "SCHEMA:FILE", which lives as long as the workload. */
static int from_capture(struct workload *workload, const char *name, struct error *error)
{
    workload->name = name;
    const char *colon = strchr(name, ':');
    struct capture *capture;
    struct capture_datagram datagram;
    enum capture_result result;
    if (make_schema(workload, name, colon == NULL ? 0 : (size_t)(colon - name), error) != 0 ||
        capture_open(colon + 1, 0, &capture, error) != 0)
        return -1;
    while ((result = capture_next(capture, &datagram, error)) == CAPTURE_DATAGRAM)
        if (add(workload, datagram.data, datagram.size, error) != 0)
            break;
    capture_close(capture);
    return result == CAPTURE_END ? 0 : -1;
}

void workload_clear(struct workload *workload)
{
    if (workload->schema != NULL)
        workload->schema->ops->destroy(workload->schema);
    free(workload->bytes);
    free(workload->offsets);
    *workload = (struct workload){0};
}

int workload_each(const char *const *captures, size_t count,
                  int (*measure)(void *context, const struct workload *workload,
                                 struct error *error),
                  void *context, struct error *error)
{
    static const struct traffic *const traffics[] = {&traffic_metric1, &traffic_batch20};
    const size_t made = sizeof traffics / sizeof traffics[0];
    int result = 0;
    for (size_t i = 0; result == 0 && i < made + count; i++) {
        struct workload workload = {0};
        result = i < made ? workload_of_traffic(&workload, traffics[i], error)
                          : from_capture(&workload, captures[i - made], error);
        if (result == 0)
            result = measure(context, &workload, error);
        workload_clear(&workload);
    }
    return result;
}
