#include <string.h>

#include "collector/config/keys.h"
#include "collector/config/syntax.h"
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

TEST(a_value_is_described_by_its_unit_its_choices_or_its_syntax)
{
    static const struct {
        unsigned scopes;
        const char *name, *syntax;
    } expected[] = {
        {KEY_OF_UDP, "receivers", "N"},        {KEY_OF_UDP, "receive_buffer", "SIZE"},
        {KEY_OF_UDP, "coalesce", "TIME"},      {KEY_OF_UDP, "gro", "off|on"},
        {KEY_OF_FILE, "message", "FULL.NAME"}, {KEY_OF_SINK, "view", "auto|sample|message|record"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        char syntax[SYNTAX_SIZE];
        syntax_of_value(key(expected[i].scopes, expected[i].name), &test_registry, syntax);
        assert_string_equal(syntax, expected[i].syntax);
    }
}

TEST(an_option_may_take_a_url_or_nothing)
{
    char syntax[SYNTAX_SIZE];
    syntax_of_option(option_named("--listen"), &test_registry, syntax);
    assert_string_equal(syntax, "URL");
    syntax_of_option(option_named("--config"), &test_registry, syntax);
    assert_string_equal(syntax, "FILE");
    syntax_of_option(option_named("--check"), &test_registry, syntax);
    assert_string_equal(syntax, "");
}

TEST(a_default_comes_with_the_range_of_a_number)
{
    char text[SYNTAX_SIZE];
    syntax_of_default(key(KEY_OF_UDP, "receive_buffer"), true, text);
    assert_string_equal(text, "default 4MiB, 4KiB to 512MiB");
    syntax_of_default(key(KEY_OF_UDP, "receive_buffer"), false, text);
    assert_string_equal(text, "default 4MiB");
    syntax_of_default(key(KEY_OF_UDP, "gro"), true, text);
    assert_string_equal(text, "default off");
    syntax_of_default(key(KEY_OF_UDP, "rate_limit"), true, text);
    assert_string_equal(text, "");
}

TEST(every_kind_of_listener_has_a_form)
{
    for (const struct source_ops *const *one = builtin_sources; *one != NULL; one++)
        assert_true(url_is_listener((*one)->syntax, &test_registry));
    assert_string_equal(builtin_sources[0]->syntax, "udp://ADDR:PORT");
}
