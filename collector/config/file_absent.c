/* collector/config/file.h in a program without YAML. */
#include "collector/config/file.h"

#include <stddef.h>

const char *config_file_library(void)
{
    return NULL;
}

bool config_file_read(const char *path, struct provenance *provenance, struct error *error)
{
    (void)provenance;
    error_set(error, EXIT_CODE_CONFIG,
              "--config %s: this program was built without YAML (libyaml); write options instead",
              path);
    return false;
}
