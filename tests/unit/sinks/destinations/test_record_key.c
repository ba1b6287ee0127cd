#include <string.h>

#include "collector/contract/record.h"
#include "collector/contract/schema.h"
#include "collector/contract/sender_name.h"
#include "sinks/destinations/record_key.h"
#include "tests/support/test.h"

/* --- a schema with one sample, whose labels are in the message -------------------------------- */

struct pairs {
    const char *name;
    const char *labels[4][2]; /* a NULL key ends them */
};

static struct text text_of(const char *text)
{
    return (struct text){text, strlen(text)};
}

static bool next_sample(const struct schema *schema, const void *message,
                        struct schema_cursor *cursor, struct sample *sample)
{
    (void)schema;
    if (cursor->index++ != 0 || message == NULL)
        return false;
    *sample = (struct sample){.name = text_of(((const struct pairs *)message)->name)};
    return true;
}

static bool next_label(const struct schema *schema, const void *message,
                       const struct sample *sample, struct schema_cursor *cursor,
                       struct label *label)
{
    (void)schema;
    (void)sample;
    const struct pairs *pairs = message;
    if (cursor->index == 4 || pairs->labels[cursor->index][0] == NULL)
        return false;
    label->key = text_of(pairs->labels[cursor->index][0]);
    label->value = text_of(pairs->labels[cursor->index][1]);
    cursor->index++;
    return true;
}

static const struct schema_ops ops = {.next_sample = next_sample, .next_label = next_label};
static const struct schema schema = {.ops = &ops, .name = "pairs", .has_samples = true};

static const struct pairs ab = {"cpu", {{"a", "1"}, {"b", "2"}}};
static const struct pairs ba = {"cpu", {{"b", "2"}, {"a", "1"}}};

static size_t key_of(enum key_kind kind, const char *label, const struct pairs *message,
                     char key[DELIVERY_KEY_SIZE + 1])
{
    const struct key_options options = {kind, (char *)(uintptr_t)label};
    struct record record = {.schema = &schema, .message = message};
    record.source = (struct address){.family = ADDRESS_IPV4, .port = 9, .bytes = {192, 0, 2, 1}};
    size_t size = record_key(&options, &record, (uint8_t *)key);
    key[size] = '\0';
    return size;
}

/* --- tests ------------------------------------------------------------------------------------ */

TEST(a_source_is_an_address_without_its_port)
{
    char key[DELIVERY_KEY_SIZE + 1];
    assert_int_equal(key_of(KEY_SOURCE, NULL, &ab, key), 9);
    assert_string_equal(key, "192.0.2.1");
    assert_int_equal(key_of(KEY_NONE, NULL, &ab, key), 0);
}

TEST(a_sender_is_the_name_of_its_key_or_no_key)
{
    char name[SENDER_NAME_MAX + 1];
    char key[DELIVERY_KEY_SIZE + 1];
    const struct key_options options = {KEY_SENDER, NULL};
    struct record record = {.schema = &schema, .message = &ab};
    assert_int_equal(record_key(&options, &record, (uint8_t *)key), 0);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    record.sender = name;
    assert_int_equal(record_key(&options, &record, (uint8_t *)key), SENDER_NAME_MAX);
    assert_memory_equal(key, name, SENDER_NAME_MAX);
}

TEST(a_series_is_a_name_and_its_labels_in_any_order)
{
    static const struct pairs others[] = {
        {"mem", {{"a", "1"}, {"b", "2"}}}, {"cpu", {{"a", "1"}}},
        {"cpu", {{"a", "2"}, {"b", "1"}}}, {"cpu", {{"a1", ""}, {"b2", ""}}},
        {"cpu", {{NULL, NULL}}},
    };
    char one[DELIVERY_KEY_SIZE + 1], other[DELIVERY_KEY_SIZE + 1];
    assert_int_equal(key_of(KEY_SERIES, NULL, &ab, one), 16);
    assert_int_equal(key_of(KEY_SERIES, NULL, &ba, other), 16);
    assert_string_equal(one, other);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_int_equal(key_of(KEY_SERIES, NULL, &others[i], other), 16);
        assert_string_not_equal(one, other);
    }
}

TEST(a_label_gives_its_value_or_no_key)
{
    char key[DELIVERY_KEY_SIZE + 1];
    assert_int_equal(key_of(KEY_LABEL, "b", &ab, key), 1);
    assert_string_equal(key, "2");
    assert_int_equal(key_of(KEY_LABEL, "c", &ab, key), 0);
}

TEST(a_long_value_is_cut)
{
    char value[2 * DELIVERY_KEY_SIZE];
    memset(value, 'v', sizeof value);
    value[sizeof value - 1] = '\0';
    const struct pairs pairs = {"cpu", {{"a", value}}};
    char key[DELIVERY_KEY_SIZE + 1];
    assert_int_equal(key_of(KEY_LABEL, "a", &pairs, key), DELIVERY_KEY_SIZE);
}

TEST(a_record_without_samples_has_no_key_of_a_sample)
{
    char key[DELIVERY_KEY_SIZE + 1];
    assert_int_equal(key_of(KEY_SERIES, NULL, NULL, key), 0);
    assert_int_equal(key_of(KEY_LABEL, "a", NULL, key), 0);
    const struct key_options options = {KEY_SERIES, NULL};
    const struct record raw = {.schema = NULL};
    assert_int_equal(record_key(&options, &raw, (uint8_t *)key), 0);
}
