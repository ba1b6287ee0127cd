/*
 * Tests the schemas of a listener: all or none are created, they are found by their match, and the
 * last user frees them.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/platform/thread.h"
#include "collector/record/batch.h"
#include "collector/record/schema_list.h"
#include "tests/support/contract/fake_schema.h"
#include "tests/support/test.h"

static char source[] = "fake.desc";
static char first_name[] = "a.First";
static char second_name[] = "b.Second";

static const struct schema_config two[] = {
    {.ops = &fake_schema,
     .from_file = true,
     .source = source,
     .message = first_name,
     .match = {.kind = MATCH_MAGIC, .magic = "A", .magic_size = 1},
     .framing = FRAMING_DELIMITED,
     .header = 7},
    {.ops = &fake_schema, .from_file = true, .source = source, .message = second_name},
};

static int set_up(void **state)
{
    (void)state;
    fake_schemas = (struct fake_schemas){0};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(fake_schemas.living, 0);
    return 0;
}

static struct schema_list *made(size_t count)
{
    struct schema_list *list = NULL;
    struct error error;
    if (schema_list_create(&list, two, count, NULL, &error) != 0)
        fail_msg("%s", error.text);
    return list;
}

TEST_WITH(a_list_holds_what_was_configured, set_up, tear_down)
{
    (void)state;
    struct schema_list *list = made(2);
    assert_int_equal(list->count, 2);
    assert_string_equal(list->entries[0].schema->name, "a.First");
    assert_int_equal(list->entries[0].framing, FRAMING_DELIMITED);
    assert_int_equal(list->entries[0].header, 7);
    assert_string_equal(list->entries[1].schema->name, "b.Second");
    assert_int_equal(list->entries[1].framing, FRAMING_DATAGRAM);
    schema_list_release(list);
}

TEST_WITH(the_first_that_matches_is_found, set_up, tear_down)
{
    (void)state;
    const struct address sender = {.family = ADDRESS_IPV4};
    struct schema_list *list = made(2);
    const uint8_t *first = (const uint8_t *)"A", *second = (const uint8_t *)"B";
    assert_ptr_equal(schema_list_find(list, &sender, NULL, first, 1), &list->entries[0]);
    assert_ptr_equal(schema_list_find(list, &sender, NULL, second, 1), &list->entries[1]);
    schema_list_release(list);
    list = made(1);
    assert_ptr_equal(schema_list_find(list, &sender, NULL, first, 1), &list->entries[0]);
    assert_null(schema_list_find(list, &sender, NULL, second, 1));
    schema_list_release(list);
}

TEST_WITH(names_are_joined, set_up, tear_down)
{
    (void)state;
    struct schema_list *list = made(2);
    char *names = schema_list_names(list);
    assert_string_equal(names, "a.First, b.Second");
    free(names);
    schema_list_release(list);
    list = made(1);
    names = schema_list_names(list);
    assert_string_equal(names, "a.First");
    free(names);
    schema_list_release(list);
}

/* Each of the other configurations differs from `first` in one setting. */
TEST_WITH(configurations_are_equal_only_as_a_whole, set_up, tear_down)
{
    (void)state;
    static char one[] = "1", same[] = "1", other[] = "2";
    const struct schema_config first = {
        .ops = &fake_schema,
        .source = one,
        .message = one,
        .nested = one,
        .sequence = one,
        .sequence_key = one,
        .name = one,
        .value = one,
        .time = one,
        .labels = one,
        .match = {.kind = MATCH_MAGIC, .magic = "AB", .magic_size = 2},
    };
    struct schema_config each[20];
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        each[i] = first;
    each[0].source = same;
    each[1].source = other;
    each[2].message = other;
    each[3].sequence = NULL;
    each[4].sequence_key = other;
    each[5].name = other;
    each[6].value = other;
    each[7].time = other;
    each[8].labels = NULL;
    each[9].match.kind = MATCH_ALL;
    each[10].match.magic[1] = 'C';
    each[11].match.magic_size = 1;
    each[12].match.prefix = 8;
    each[13].match.network.bytes[15] = 1;
    each[14].match.network.family = ADDRESS_IPV6;
    each[15].framing = FRAMING_DELIMITED;
    each[16].header = 4;
    each[17].ops = NULL;
    each[18].nested = other;
    each[19].text_samples = true;
    assert_true(schema_configs_equal(&first, 1, &each[0], 1));
    for (size_t i = 1; i < sizeof each / sizeof each[0]; i++) {
        const struct schema_config these[] = {first, first}, those[] = {first, each[i]};
        assert_false(schema_configs_equal(these, 2, those, 2));
        assert_true(schema_configs_equal(these, 1, those, 1));
    }
    assert_false(schema_configs_equal(each, 1, each, 2));
}

static struct schema_list *made_from(const struct schema_config *configs, size_t count)
{
    struct schema_list *list = NULL;
    struct error error;
    assert_int_equal(schema_list_create(&list, configs, count, NULL, &error), 0);
    return list;
}

/*
 * Each of the other lists differs from the first one in one setting. The last two differences do
 * not change which datagrams schema 1 numbers, so its sequence numbers are kept.
 */
TEST_WITH(numbers_are_equal_if_equal_datagrams_are_read_alike, set_up, tear_down)
{
    (void)state;
    static char file[] = "file", path[] = "n", other[] = "other";
    const struct schema_config all = {.ops = &fake_schema, .source = file, .sequence = path};
    const struct schema_config some = {
        .ops = &fake_schema,
        .source = file,
        .sequence = path,
        .match = {.kind = MATCH_MAGIC, .magic = "A", .magic_size = 1}};
    struct schema_config each[7][2];
    for (size_t i = 0; i < 7; i++) {
        each[i][0] = some;
        each[i][1] = all;
    }
    each[1][0].match.magic[0] = 'B'; /* leaves different datagrams to schema 1 */
    each[2][1].sequence = NULL;
    each[3][1].framing = FRAMING_DELIMITED;
    each[4][1].ops = &fake_schema_of_anything;
    each[5][1].value = other;
    each[6][0].sequence = NULL;
    struct schema_list *first = made_from(each[0], 2);
    for (size_t i = 0; i < 7; i++) {
        struct schema_list *list = made_from(each[i], 2);
        assert_int_equal(schema_list_same_numbers(first, list, 1), i == 0 || i > 4);
        assert_int_equal(schema_list_same_numbers(first, list, 0), i != 1 && i != 6);
        assert_false(schema_list_same_numbers(first, list, 2));
        schema_list_release(list);
    }
    struct schema_list *shorter = made_from(each[0], 1);
    assert_true(schema_list_same_numbers(first, shorter, 0));
    assert_false(schema_list_same_numbers(first, shorter, 1));
    assert_false(schema_list_same_numbers(shorter, first, 1));
    schema_list_release(shorter);
    schema_list_release(first);
}

static void fail_from_the_second_on(void)
{
    atomic_store(&fake_schemas.fail, fake_schemas.made == 1);
}

TEST_WITH(if_one_schema_fails_all_are_freed, set_up, tear_down)
{
    (void)state;
    struct schema_list *list = NULL;
    struct error error;
    fake_schema_making = fail_from_the_second_on;
    int result = schema_list_create(&list, two, 2, NULL, &error);
    fake_schema_making = NULL;
    assert_int_equal(result, -1);
    assert_string_equal(error.text, "fake.desc: cannot be made");
    assert_int_equal(error.code, EXIT_CODE_CONFIG);
    assert_int_equal(fake_schemas.made, 1);
    assert_null(list);
}

TEST_WITH(the_last_release_frees_a_list, set_up, tear_down)
{
    (void)state;
    struct schema_list *list = made(2);
    schema_list_retain(list);
    schema_list_release(list);
    assert_int_equal(fake_schemas.living, 2);
    schema_list_release(list);
    assert_int_equal(fake_schemas.living, 0);
    schema_list_release(NULL);
}

TEST_WITH(a_slot_returns_its_list_and_taken_lists_stay, set_up, tear_down)
{
    (void)state;
    struct schema_list *old = made(1);
    struct schema_slot *slot = schema_slot_create(old);
    assert_non_null(slot);
    assert_ptr_equal(schema_slot_take(slot), old);
    struct schema_list *new = made(2);
    schema_slot_put(slot, new);
    assert_int_equal(fake_schemas.living, 3);
    schema_list_release(old);
    assert_int_equal(fake_schemas.living, 2);
    schema_list_release(schema_slot_take(slot));
    assert_int_equal(fake_schemas.living, 2);
    schema_slot_destroy(slot);
    schema_slot_destroy(NULL);
}

TEST_WITH(a_batch_keeps_its_list_until_its_last_reader_is_done, set_up, tear_down)
{
    (void)state;
    struct batch_pool *pool = batch_pool_create(1, 0);
    struct batch *batch = batch_acquire(pool, false);
    batch->schemas = made(1);
    batch_retain(batch);
    batch_release(batch);
    assert_int_equal(fake_schemas.living, 1);
    batch_release(batch);
    assert_int_equal(fake_schemas.living, 0);
    batch = batch_acquire(pool, false);
    assert_null(batch->schemas);
    batch_release(batch);
    batch_pool_destroy(pool);
}

/* --- threads ---------------------------------------------------------------------------------- */

static _Atomic bool ended;

static void take_and_use(void *argument)
{
    while (!atomic_load(&ended)) {
        struct schema_list *list = schema_slot_take(argument);
        char room[1];
        struct output out = {.data = room, .capacity = sizeof room};
        struct text text = {"", 0};
        list->entries[0].schema->ops->write_protobuf(list->entries[0].schema, &text, &out);
        schema_list_release(list);
    }
}

/*
 * Two threads take lists while others replace them. The thread sanitizer detects a list that is
 * used while it is made or freed.
 */
TEST_WITH(a_slot_may_be_replaced_during_takes, set_up, tear_down)
{
    (void)state;
    struct schema_slot *slot = schema_slot_create(made(1));
    struct thread *threads[2];
    struct error error;
    atomic_store(&ended, false);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(thread_start(&threads[i], "taking", take_and_use, slot, &error), 0);
    for (size_t i = 0; i < 2000; i++)
        schema_slot_put(slot, made(1));
    atomic_store(&ended, true);
    for (size_t i = 0; i < 2; i++)
        thread_join(threads[i]);
    assert_int_equal(fake_schemas.living, 1);
    schema_slot_destroy(slot);
}
