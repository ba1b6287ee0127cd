/* The reference: an entry for each row, and what somebody may write for it. */
#include <string.h>

#include "collector/config/keys.h"
#include "collector/reference/reference.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

static const struct reference_entry *find(const struct reference *reference,
                                          enum reference_kind kind, const char *name)
{
    for (size_t i = 0; i < reference->count; i++)
        if (reference->entries[i].kind == kind && strcmp(reference->entries[i].name, name) == 0)
            return &reference->entries[i];
    fail_msg("no entry for %s", name);
    return NULL;
}

TEST(every_kind_has_entries_and_each_says_something)
{
    struct reference *reference = reference_create(&test_registry);
    size_t counts[REFERENCE_KIND_COUNT] = {0};
    assert_non_null(reference);
    for (size_t i = 0; i < reference->count; i++) {
        const struct reference_entry *entry = &reference->entries[i];
        counts[entry->kind]++;
        assert_string_not_equal(entry->name, "");
        assert_string_not_equal(entry->what, "");
        assert_non_null(entry->remedy);
        assert_true(reference_is_meant(entry, entry->name));
    }
    for (size_t kind = 0; kind < REFERENCE_KIND_COUNT; kind++) {
        assert_true(counts[kind] > 0);
        assert_non_null(reference_kinds[kind].title);
        assert_non_null(reference_kinds[kind].page);
    }
    reference_destroy(reference);
}

TEST(a_key_has_its_value_its_default_and_its_places)
{
    struct reference *reference = reference_create(&test_registry);
    const struct reference_entry *entry = find(reference, REFERENCE_KEY, "receive_buffer");
    assert_string_equal(entry->syntax, "SIZE");
    assert_string_equal(entry->default_text, "default 4MiB, 4KiB to 512MiB");
    assert_int_equal(entry->scopes, KEY_OF_UDP);
    assert_true(reference_is_meant(entry, "receive_buffer="));
    assert_true(reference_is_meant(entry, "receive_buffer=64MiB"));
    assert_false(reference_is_meant(entry, "--receive_buffer"));
    assert_false(reference_is_meant(entry, "receive_buffe"));
    assert_false(reference_is_meant(entry, ""));
    reference_destroy(reference);
}

TEST(an_option_is_meant_with_its_dashes_and_without)
{
    struct reference *reference = reference_create(&test_registry);
    const struct reference_entry *entry = find(reference, REFERENCE_OPTION, "memory");
    assert_true(reference_is_meant(entry, "--memory"));
    assert_true(reference_is_meant(entry, "memory"));
    assert_true(reference_is_meant(entry, "--memory=64MiB"));
    assert_false(reference_is_meant(entry, "-memory"));
    reference_destroy(reference);
}

TEST(a_reason_has_what_to_do_about_it)
{
    struct reference *reference = reference_create(&test_registry);
    assert_string_equal(find(reference, REFERENCE_DATAGRAM_REASON, "truncated")->remedy,
                        "raise it");
    assert_string_equal(find(reference, REFERENCE_DATAGRAM_REASON, "control")->remedy, "");
    reference_destroy(reference);
}

TEST(a_metric_is_meant_by_each_of_its_names)
{
    struct reference *reference = reference_create(&test_registry);
    const struct reference_entry *entry =
        find(reference, REFERENCE_METRIC, "sluice_sink_write_seconds");
    assert_true(entry->histogram);
    assert_true(reference_is_meant(entry, "sluice_sink_write_seconds_bucket"));
    assert_true(reference_is_meant(entry, "sluice_sink_write_seconds_count"));
    assert_true(reference_is_meant(entry, "write_seconds"));
    assert_false(reference_is_meant(entry, "sluice_sink_write_seconds_total"));

    entry = find(reference, REFERENCE_METRIC, "sluice_sink_written_total");
    assert_true(entry->of_term);
    assert_false(reference_is_meant(entry, "written")); /* that is the term */
    assert_false(reference_is_meant(entry, "sluice_sink_written_total_bucket"));
    find(reference, REFERENCE_METRIC, "sluice_listener_in_assembly"); /* no counter */
    reference_destroy(reference);
}
