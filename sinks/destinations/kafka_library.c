#include "sinks/destinations/kafka_library.h"

SHARED_LIBRARY_DEFINE(kafka, rd_kafka_, KAFKA_FUNCTIONS, version_str(), "librdkafka",
                      SLUICE_LOADED_RDKAFKA, SLUICE_LOADED_RDKAFKA_PACKAGE, "kafka")
