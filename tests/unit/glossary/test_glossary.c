#include <string.h>

#include "collector/config/keys.h"
#include "collector/glossary/glossary.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

static const struct glossary_entry *find(const struct glossary *glossary, enum glossary_kind kind,
                                         const char *name)
{
    for (size_t i = 0; i < glossary->count; i++)
        if (glossary->entries[i].kind == kind && strcmp(glossary->entries[i].name, name) == 0)
            return &glossary->entries[i];
    fail_msg("no entry for %s", name);
    return NULL;
}

TEST(every_kind_has_entries_and_each_says_something_and_what_to_do)
{
    struct glossary *glossary = glossary_create(&test_registry);
    size_t counts[GLOSSARY_KIND_COUNT] = {0};
    assert_non_null(glossary);
    for (size_t i = 0; i < glossary->count; i++) {
        const struct glossary_entry *entry = &glossary->entries[i];
        counts[entry->kind]++;
        assert_string_not_equal(entry->name, "");
        assert_string_not_equal(entry->what, "");
        bool is_setting = entry->kind == GLOSSARY_OPTION || entry->kind == GLOSSARY_KEY;
        if (!is_setting && entry->remedy[0] == '\0')
            fail_msg("%s has no remedy", entry->name);
        assert_true(glossary_is_meant(entry, entry->name));
    }
    for (size_t kind = 0; kind < GLOSSARY_KIND_COUNT; kind++) {
        assert_true(counts[kind] > 0);
        assert_non_null(glossary_kinds[kind].title);
        assert_non_null(glossary_kinds[kind].page);
    }
    glossary_destroy(glossary);
}

TEST(a_key_has_its_value_its_default_and_its_places)
{
    struct glossary *glossary = glossary_create(&test_registry);
    const struct glossary_entry *entry = find(glossary, GLOSSARY_KEY, "receive_buffer");
    assert_string_equal(entry->syntax, "SIZE");
    assert_string_equal(entry->default_text, "default 4MiB, 4KiB to 512MiB");
    assert_int_equal(entry->scopes, KEY_OF_UDP);
    assert_true(glossary_is_meant(entry, "receive_buffer="));
    assert_true(glossary_is_meant(entry, "receive_buffer=64MiB"));
    assert_false(glossary_is_meant(entry, "--receive_buffer"));
    assert_false(glossary_is_meant(entry, "receive_buffe"));
    assert_false(glossary_is_meant(entry, ""));
    glossary_destroy(glossary);
}

TEST(an_option_is_meant_with_its_dashes_and_without)
{
    struct glossary *glossary = glossary_create(&test_registry);
    const struct glossary_entry *entry = find(glossary, GLOSSARY_OPTION, "memory");
    assert_true(glossary_is_meant(entry, "--memory"));
    assert_true(glossary_is_meant(entry, "memory"));
    assert_true(glossary_is_meant(entry, "--memory=64MiB"));
    assert_false(glossary_is_meant(entry, "-memory"));
    glossary_destroy(glossary);
}

TEST(a_reason_has_what_to_do_about_it)
{
    struct glossary *glossary = glossary_create(&test_registry);
    assert_string_equal(find(glossary, GLOSSARY_DATAGRAM_REASON, "truncated")->remedy,
                        "raise max_datagram=");
    assert_string_equal(find(glossary, GLOSSARY_DATAGRAM_REASON, "control")->remedy,
                        "nothing to do: it is not a loss");
    glossary_destroy(glossary);
}

TEST(a_metric_is_meant_by_each_of_its_names)
{
    struct glossary *glossary = glossary_create(&test_registry);
    const struct glossary_entry *entry =
        find(glossary, GLOSSARY_METRIC, "sluice_sink_write_seconds");
    assert_true(entry->histogram);
    assert_true(glossary_is_meant(entry, "sluice_sink_write_seconds_bucket"));
    assert_true(glossary_is_meant(entry, "sluice_sink_write_seconds_count"));
    assert_true(glossary_is_meant(entry, "write_seconds"));
    assert_false(glossary_is_meant(entry, "sluice_sink_write_seconds_total"));

    entry = find(glossary, GLOSSARY_METRIC, "sluice_sink_written_total");
    assert_true(entry->of_term);
    assert_false(glossary_is_meant(entry, "written")); /* the term of that name has its own entry */
    assert_false(glossary_is_meant(entry, "sluice_sink_written_total_bucket"));
    find(glossary, GLOSSARY_METRIC, "sluice_listener_in_assembly"); /* a gauge */
    glossary_destroy(glossary);
}
