#include "tools/bench/contender.h"

#include <string.h>

void contenders_begin(struct contenders *contenders)
{
    static const struct {
        enum contender_kind kind;
        const char *name;
        bool discards;
    } first[] = {
        {CONTENDER_BLOCKING, "blocking", false}, {CONTENDER_EDGE, "edge", false},
        {CONTENDER_PAUSE, "edge+pause", false},  {CONTENDER_COLLECTOR, "json", false},
        {CONTENDER_COLLECTOR, "null", true},
    };
    *contenders = (struct contenders){.count = sizeof first / sizeof first[0]};
    for (size_t i = 0; i < contenders->count; i++)
        contenders->items[i] = (struct contender){
            .kind = first[i].kind,
            .name = first[i].name,
            .discards = first[i].discards,
            .listener_keys = "",
            .sink_keys = "",
        };
}

static struct contender *find(struct contenders *contenders, const char *name, size_t length)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (strlen(contenders->items[i].name) == length &&
            memcmp(contenders->items[i].name, name, length) == 0)
            return &contenders->items[i];
    return NULL;
}

static int refuse(struct error *error, const char *text, const char *why)
{
    error_set(error, EXIT_CODE_USAGE, "'%s' %s", text, why);
    return -1;
}

static bool take_word(struct contender *contender, size_t *count, const char *word)
{
    if (strncmp(word, "listen:", 7) == 0) {
        contender->listener_keys = word + 7;
        return true;
    }
    if (strncmp(word, "sink:", 5) == 0) {
        contender->sink_keys = word + 5;
        return true;
    }
    if (strncmp(word, "to:", 3) == 0) {
        contender->to = word + 3;
        contender->discards = true;
        return true;
    }
    if (*count == CONTENDER_ARGUMENTS_MOST)
        return false;
    contender->arguments[(*count)++] = word;
    return true;
}

static bool take_words(struct contender *contender, char *text)
{
    size_t count = 0;
    char *at = text;
    for (;;) {
        at += strspn(at, " ");
        if (*at == '\0')
            return true;
        char *word = at;
        at += strcspn(at, " ");
        if (*at != '\0')
            *at++ = '\0';
        if (!take_word(contender, &count, word))
            return false;
    }
}

int contenders_add(struct contenders *contenders, const char *text, struct error *error)
{
    const char *equals = strchr(text, '=');
    if (equals == NULL || equals == text)
        return refuse(error, text, "is not NAME=WORD WORD...");
    if (strlen(text) >= CONTENDER_TEXT_SIZE) {
        error_set(error, EXIT_CODE_USAGE, "has more than %d bytes", CONTENDER_TEXT_SIZE - 1);
        return -1;
    }
    struct contender *made = find(contenders, text, (size_t)(equals - text));
    if (made != NULL && made->kind != CONTENDER_COLLECTOR)
        return refuse(error, text, "has the name of a null receiver");
    if (made == NULL && contenders->count == CONTENDERS_MOST)
        return refuse(error, text, "is one variant too many");
    if (made == NULL)
        made = &contenders->items[contenders->count++];
    bool discards = made->discards;
    *made = (struct contender){
        .kind = CONTENDER_COLLECTOR, .discards = discards, .listener_keys = "", .sink_keys = ""};
    memcpy(made->text, text, strlen(text) + 1);
    made->text[equals - text] = '\0';
    made->name = made->text;
    if (!take_words(made, made->text + (equals - text) + 1))
        return refuse(error, text, "has too many words");
    return 0;
}

const struct contender *contenders_of_kind(const struct contenders *contenders,
                                           enum contender_kind kind)
{
    for (size_t i = 0; i < contenders->count; i++)
        if (contenders->items[i].kind == kind)
            return &contenders->items[i];
    return NULL;
}
