#include "sinks/destinations/kafka_library.h"

#include <stddef.h>
#include <stdio.h>

#include "collector/platform/library_table.h"

/* The interface that <librdkafka/rdkafka.h> declares. */
#define FILE_NAME "librdkafka.so.1"

const struct kafka_library *kafka_library(struct error *error)
{
#define FUNCTION(name) {"rd_kafka_" #name, offsetof(struct kafka_library, name)},
    static const struct library_function names[] = {KAFKA_LIBRARY_FUNCTIONS(FUNCTION)};
#undef FUNCTION
    static struct kafka_library functions;
    static struct library_table table = {.file = FILE_NAME,
                                         .unless = "kafka: this machine has no usable librdkafka",
                                         .functions = names,
                                         .count = sizeof names / sizeof *names,
                                         .pointers = &functions};
    return library_table_load(&table, error) ? &functions : NULL;
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
