/*
 * A model of a list of schemas that two threads use. The last release must free the list, when the
 * other thread has finished with it.
 */
#include "tests/model/models.h"

#include <stdlib.h>

#include "collector/record/schema_list.h"
#include "tests/model/explorer.h"

static struct {
    struct schema_list *list;
    size_t made, destroyed;
} shared;

static int make_schema(const struct schema_options *options, struct schema **out,
                       struct error *error)
{
    (void)options;
    (void)error;
    *out = calloc(1, sizeof **out);
    (*out)->name = "model";
    shared.made++;
    return 0;
}

/*
 * Writes to the schema, so that a thread that still reads it causes a race. The memory itself stays
 * valid until the end of the run.
 */
static void destroy_schema(struct schema *schema)
{
    schema->name = NULL;
    shared.destroyed++;
}

static const struct schema_ops of_model = {
    .name = "model", .create = make_schema, .destroy = destroy_schema};

static void set_up(void)
{
    const struct schema_config config = {.ops = &of_model};
    struct error error;
    shared.made = 0;
    shared.destroyed = 0;
    if (schema_list_create(&shared.list, &config, 1, NULL, &error) != 0)
        abort();
    shared.list->entries[0].schema->ops = &of_model;
    schema_list_retain(shared.list);
}

static void use(void)
{
    struct schema_list *list = shared.list;
    model_expect(list->entries[0].schema->name != NULL, "the schema is gone");
    schema_list_release(list);
}

static void check(void)
{
    model_expect(shared.made == 1 && shared.destroyed == 1, "the schema is not freed once");
}

const struct model model_schemas = {"schemas of two threads", set_up, {use, use}, check};
