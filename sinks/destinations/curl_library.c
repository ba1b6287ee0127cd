#include "sinks/destinations/curl_library.h"

SHARED_LIBRARY_DEFINE(curl, curl_, CURL_FUNCTIONS, version(), "libcurl",
                      "libcurl.so.4", "libcurl4", "http")
