#include "sinks/destinations/nats_library.h"

SHARED_LIBRARY_DEFINE(nats, , NATS_FUNCTIONS, nats_GetVersion(), "nats.c", SLUICE_LOADED_NATS_FILES,
                      SLUICE_LOADED_NATS_PACKAGE, "nats")
