#include "collector/pipeline/pipeline_left_spills.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "collector/log/log.h"
#include "collector/pipeline/pipeline_levels.h"
#include "collector/pipeline/pipeline_parts.h"
#include "collector/platform/file_system.h"

struct left_spill {
    struct left_spill *next;
    uint64_t records;
    int index;                      /* the ledger index of the removed sink */
    struct sink_counters *counters; /* the counters that count the spill's records as `spilled` */
    char *name;                     /* owned; the folder's path is in the same memory */
    const char *folder;
};

static bool has_sink(const struct pipeline *pipeline, const char *folder)
{
    for (size_t i = 0; i < pipeline->config->sink_count; i++) {
        const char *spill = pipeline->config->sinks[i].settings.delivery.spill;
        if (spill != NULL && file_path_same(spill, folder))
            return true;
    }
    return false;
}

static void free_left(struct left_spill *left)
{
    free(left->name);
    free(left);
}

void pipeline_adopt_left_spills(struct pipeline *pipeline)
{
    for (struct left_spill **link = &pipeline->left; *link != NULL;) {
        struct left_spill *left = *link;
        if (!has_sink(pipeline, left->folder)) {
            link = &left->next;
            continue;
        }
        *link = left->next;
        ledger_reserve_sink(pipeline->ledger, left->index, false);
        free_left(left);
    }
}

void pipeline_leave_spill(struct pipeline *pipeline, const struct sink_slot *slot)
{
    const struct sink_config *config = slot->config;
    uint64_t records = counter_read(&slot->counters->spilled);
    if (config->settings.delivery.spill == NULL || records == 0 || pipeline->stopping ||
        has_sink(pipeline, config->settings.delivery.spill))
        return;
    log_line(LOG_WARNING,
             "%s: %" PRIu64 " record%s in the spill %s, which no sink uses; configure a sink with "
             "this folder, or export them with \"sluice spill export\"",
             config->name, records, records == 1 ? " remains" : "s remain",
             config->settings.delivery.spill);
    size_t length = strlen(config->name) + 1;
    struct left_spill *left = malloc(sizeof *left);
    char *name = malloc(length + strlen(config->settings.delivery.spill) + 1);
    if (left == NULL || name == NULL) {
        free(left);
        free(name);
        return;
    }
    memcpy(name, config->name, length);
    strcpy(name + length, config->settings.delivery.spill);
    *left = (struct left_spill){.next = pipeline->left,
                                .records = records,
                                .index = slot->index,
                                .counters = slot->counters,
                                .name = name,
                                .folder = name + length};
    pipeline->left = left;
}

static const struct left_spill *find_left(const struct pipeline *pipeline,
                                          const struct sink_config *config)
{
    const char *spill = config->settings.delivery.spill;
    for (const struct left_spill *left = pipeline->left; spill != NULL && left != NULL;
         left = left->next)
        if (strcmp(left->name, config->name) == 0 && file_path_same(left->folder, spill))
            return left;
    return NULL;
}

int pipeline_left_entry(const struct pipeline *pipeline, const struct sink_config *config)
{
    const struct left_spill *left = find_left(pipeline, config);
    return left == NULL ? -1 : left->index;
}

struct sink_counters *pipeline_left_counters(const struct pipeline *pipeline,
                                             const struct sink_slot *slot)
{
    const struct left_spill *left = find_left(pipeline, slot->config);
    return left == NULL || left->index != slot->index ? NULL : left->counters;
}

size_t pipeline_left_spills(const struct pipeline *pipeline, struct left_level *levels)
{
    size_t count = 0;
    for (const struct left_spill *left = pipeline->left; left != NULL; left = left->next) {
        if (levels != NULL && !folder_has(left->folder))
            continue;
        if (levels != NULL)
            levels[count] = (struct left_level){left->name, left->records};
        count++;
    }
    return count;
}

void pipeline_forget_left_spills(struct pipeline *pipeline)
{
    while (pipeline->left != NULL) {
        struct left_spill *left = pipeline->left;
        pipeline->left = left->next;
        free_left(left);
    }
}
