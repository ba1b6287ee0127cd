#include "collector/spill/settings.h"

#include <inttypes.h>
#include <string.h>

int spill_settings_complete(const struct spill_settings *given, struct spill_settings *settings,
                            struct error *error)
{
    size_t label = given->label == NULL ? 0 : strlen(given->label);
    uint64_t block = SPILL_HEAD_SIZE + label + (uint64_t)given->image_size;
    *settings = *given;
    if (given->segment_size == 0) {
        settings->segment_size = given->size / 16;
        if (settings->segment_size > SPILL_SEGMENT_SIZE)
            settings->segment_size = SPILL_SEGMENT_SIZE;
        if (settings->segment_size < 2 * block)
            settings->segment_size = 2 * block;
    }
    if (label < SPILL_LABEL_SIZE && given->image_size <= SPILL_IMAGE_MAX &&
        given->size >= 4 * block && settings->segment_size >= 2 * block)
        return 0;
    error_set(error, EXIT_CODE_CONFIG,
              "spill %s: %" PRIu64 " bytes are too few, a block may have %" PRIu64, given->folder,
              given->size, block);
    return -1;
}
