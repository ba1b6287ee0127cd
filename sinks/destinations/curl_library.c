#include "sinks/destinations/curl_library.h"

SHARED_LIBRARY_DEFINE(curl, curl_, CURL_FUNCTIONS, version(), "libcurl", SLUICE_LOADED_CURL,
                      SLUICE_LOADED_CURL_PACKAGE, "http")
