#include "sinks/destinations/kafka_library.h"

SHARED_LIBRARY_DEFINE(kafka, rd_kafka_, KAFKA_FUNCTIONS, version_str(), "librdkafka",
                      "librdkafka.so.1", "librdkafka1", "kafka")
