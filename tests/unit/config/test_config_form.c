/* How settings are written, as --help and the manual tell it. */
#include <string.h>

#include "collector/config/form.h"
#include "collector/config/keys.h"
#include "collector/config/url.h"
#include "collector/receive/sources.h"
#include "tests/support/config/config_tables.h"
#include "tests/support/test.h"

static const struct setting *key(unsigned scopes, const char *name)
{
    struct parse_error fault;
    const struct setting *found = key_find(scopes, name, strlen(name), &fault);
    assert_non_null(found);
    return found;
}

TEST(a_value_is_told_by_its_unit_its_choices_or_its_form)
{
    static const struct {
        unsigned scopes;
        const char *name, *form;
    } expected[] = {
        {KEY_OF_UDP, "receivers", "N"},        {KEY_OF_UDP, "receive_buffer", "SIZE"},
        {KEY_OF_UDP, "coalesce", "TIME"},      {KEY_OF_UDP, "gro", "off|on"},
        {KEY_OF_FILE, "message", "FULL.NAME"}, {KEY_OF_SINK, "view", "auto|sample|message"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char form[FORM_SIZE];
        form_of_value(key(expected[i].scopes, expected[i].name), &test_registry, form);
        assert_string_equal(form, expected[i].form);
    }
}

TEST(an_option_may_take_a_url_or_nothing)
{
    char form[FORM_SIZE];
    form_of_option(option_named("--listen"), &test_registry, form);
    assert_string_equal(form, "URL");
    form_of_option(option_named("--config"), &test_registry, form);
    assert_string_equal(form, "FILE");
    form_of_option(option_named("--check"), &test_registry, form);
    assert_string_equal(form, "");
}

TEST(a_default_comes_with_the_range_of_a_number)
{
    char text[FORM_SIZE];
    form_of_default(key(KEY_OF_UDP, "receive_buffer"), true, text);
    assert_string_equal(text, "default 4MiB, 4KiB to 512MiB");
    form_of_default(key(KEY_OF_UDP, "receive_buffer"), false, text);
    assert_string_equal(text, "default 4MiB");
    form_of_default(key(KEY_OF_UDP, "gro"), true, text);
    assert_string_equal(text, "default off");
    form_of_default(key(KEY_OF_UDP, "rate_limit"), true, text);
    assert_string_equal(text, "");
}

TEST(every_kind_of_listener_has_a_form)
{
    for (const struct source_ops *const *one = builtin_sources; *one != NULL; one++)
        assert_true(url_is_listener((*one)->form, &test_registry));
    assert_string_equal(builtin_sources[0]->form, "udp://ADDR:PORT");
}
