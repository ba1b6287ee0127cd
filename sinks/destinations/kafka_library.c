#include "sinks/destinations/kafka_library.h"

#include <stddef.h>
#include <stdio.h>

#include "collector/platform/shared_library.h"

#define NAME "librdkafka.so.1" /* the interface that <librdkafka/rdkafka.h> declares */

static bool find_functions(void *library, struct kafka_library *functions, struct error *error)
{
#define FIND(name)                                                                                 \
    if (!shared_library_find(library, "rd_kafka_" #name, &functions->name, error))                 \
        return false;
    KAFKA_LIBRARY_FUNCTIONS(FIND)
#undef FIND
    return true;
}

const struct kafka_library *kafka_library(struct error *error)
{
    static struct kafka_library functions;
    static bool loaded;
    if (loaded)
        return &functions;
    struct error why;
    void *library = shared_library_load(NAME, &why);
    if (library == NULL || !find_functions(library, &functions, &why)) {
        error_set(error, EXIT_CODE_CONFIG, "kafka: this machine has no usable librdkafka: %s",
                  why.text);
        return NULL;
    }
    loaded = true;
    return &functions;
}

const char *kafka_library_version(void)
{
    static char text[64];
    struct error error;
    const struct kafka_library *library = kafka_library(&error);
    if (library == NULL)
        return NULL;
    snprintf(text, sizeof text, "librdkafka %s", library->version_str());
    return text;
}
