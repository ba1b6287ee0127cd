#include "proto/types/type_set.h"

#include <stdlib.h>
#include <string.h>

#include "collector/base/parse_error.h"
#include "collector/base/suggestion.h"
#include "proto/message/decode.h"
#include "proto/types/loader.h"

/*
 * Bytes for the decoded descriptor set, which is a few times larger than the encoded one: for the
 * first attempt, and the limit for further ones.
 */
#define FIRST_ROOM(size) ((size)*4 + 65536)
#define MOST_ROOM        ((size_t)1 << 30)

/* --- making types of definitions -------------------------------------------------------------- */

static bool add_sources(struct loader *loader, struct message_definition *definition)
{
    const Message *from = definition->from;
    for (size_t i = 0; i < from->n_field; i++) {
        struct field_source *source = &definition->sources[definition->source_count++];
        source->from = from->field[i];
        source->scope = definition->features;
        source->name = loader_text(loader, from->field[i]->name);
        if (source->name == NULL)
            return loader_no_memory(loader);
        int32_t oneof = from->field[i]->oneof_index;
        if (from->field[i]->has_oneof_index && oneof >= 0 && (size_t)oneof < from->n_oneof_decl &&
            from->oneof_decl[oneof]->options != NULL)
            features_apply(&source->scope, from->oneof_decl[oneof]->options->features);
    }
    return true;
}

static struct message_definition *extended(const struct loader *loader,
                                           const struct field_source *extension)
{
    ProtobufCBinaryData name = extension->from->extendee;
    if (name.len != 0 && name.data[0] == '.') {
        name.data++;
        name.len--;
    }
    return definition_of_message(loader->set, (const char *)name.data, name.len);
}

static bool gather_fields(struct loader *loader)
{
    struct growing_arena *memory = &loader->set->memory;
    for (struct field_source *at = loader->extensions; at != NULL; at = at->next) {
        struct message_definition *definition = extended(loader, at);
        if (definition == NULL) {
            char *name = loader_text(loader, at->from->extendee);
            return loader_refuse(loader, "\"%s\" extends \"%s\", which is not in it", at->name,
                                 name != NULL ? name : "");
        }
        definition->source_count++;
    }
    for (struct message_definition *at = loader->messages; at != NULL; at = at->next) {
        at->sources = growing_arena_allocate(memory, at->source_count + at->from->n_field,
                                             sizeof *at->sources);
        at->source_count = 0;
        if (at->sources == NULL)
            return loader_no_memory(loader);
        if (!add_sources(loader, at))
            return false;
    }
    for (struct field_source *at = loader->extensions; at != NULL; at = at->next) {
        struct message_definition *definition = extended(loader, at);
        definition->sources[definition->source_count++] = *at;
    }
    return true;
}

/*
 * Makes the descriptor of a message without its fields. Fields refer to descriptors of other
 * messages, so these are made for all messages first.
 */
static bool make_descriptor(struct loader *loader, struct message_definition *definition)
{
    definition->type->descriptor = definition->compiled;
    if (definition->compiled != NULL)
        return true;
    ProtobufCMessageDescriptor *made =
        growing_arena_allocate(&loader->set->memory, 1, sizeof *made);
    if (made == NULL)
        return loader_no_memory(loader);
    const char *dot = strrchr(definition->name, '.');
    made->magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC;
    made->name = definition->name;
    made->short_name = dot == NULL ? definition->name : dot + 1;
    made->c_name = made->short_name;
    made->package_name = definition->package;
    definition->descriptor = made;
    definition->type->descriptor = made;
    return true;
}

static bool make_types(struct loader *loader)
{
    if (!loader_define(loader) || !gather_fields(loader))
        return false;
    for (struct enum_definition *at = loader->enums; at != NULL; at = at->next)
        if (!loader_make_enum(loader, at))
            return false;
    for (struct message_definition *at = loader->messages; at != NULL; at = at->next)
        if (!make_descriptor(loader, at) || !loader_make_fields(loader, at))
            return false;
    for (struct message_definition *at = loader->messages; at != NULL; at = at->next)
        if (!loader_lay_out(loader, at))
            return false;
    if (loader->has_unsupported)
        loader_spread_unsupported(loader);
    loader_mark_plain(loader);
    loader_set_roles(loader);
    return true;
}

/* --- reading the set -------------------------------------------------------------------------- */

/* Decodes the set into `arena`; the caller frees arena->base. */
static bool decode_set(struct loader *loader, const void *bytes, size_t size, struct arena *arena)
{
    static const ProtobufCMessageDescriptor *const root =
        &sluice__descriptor__file_descriptor_set__descriptor;
    const struct message_type *type = compiled_type(&loader->set->memory, root);
    if (type == NULL)
        return loader_no_memory(loader);
    struct decoded decoded;
    enum decode_result result = DECODE_TOO_LARGE;
    for (size_t room = FIRST_ROOM(size); result == DECODE_TOO_LARGE && room <= MOST_ROOM;
         room *= 4) {
        free(arena->base);
        *arena = (struct arena){.base = malloc(room), .capacity = room};
        if (arena->base == NULL)
            return loader_no_memory(loader);
        result = message_decode(type, bytes, size, SCHEMA_MAX_DEPTH, arena, &decoded);
    }
    if (result == DECODE_TOO_DEEP)
        return loader_refuse(loader, "its messages are nested too deeply");
    if (result == DECODE_TOO_LARGE)
        return loader_refuse(loader, "it needs more than 1 GiB of memory");
    loader->files = result == DECODE_OK ? decoded.message : NULL;
    if (loader->files == NULL || loader->files->n_file == 0)
        return loader_refuse(loader, "no descriptor set, as protoc --include_imports "
                                     "--descriptor_set_out writes it");
    return true;
}

int type_set_load(const char *name, const void *bytes, size_t size,
                  const ProtobufCMessageDescriptor *compiled, struct type_set **out,
                  struct error *error)
{
    return type_set_load_changed(name, bytes, size, compiled, NULL, 0, out, error);
}

int type_set_load_changed(const char *name, const void *bytes, size_t size,
                          const ProtobufCMessageDescriptor *compiled,
                          const struct field_change *changes, size_t change_count,
                          struct type_set **out, struct error *error)
{
    struct loader loader = {.name = name,
                            .compiled = compiled,
                            .changes = changes,
                            .change_count = change_count,
                            .error = error};
    struct arena arena = {0};
    loader.set = calloc(1, sizeof *loader.set);
    bool good = loader.set != NULL || loader_no_memory(&loader);
    good = good && decode_set(&loader, bytes, size, &arena) && make_types(&loader);
    free(arena.base);
    if (!good) {
        type_set_destroy(loader.set);
        return -1;
    }
    *out = loader.set;
    return 0;
}

void type_set_destroy(struct type_set *set)
{
    if (set == NULL)
        return;
    growing_arena_free(&set->memory);
    free(set);
}

const char *type_set_warning(const struct type_set *set, size_t *more)
{
    *more = set->warning_count == 0 ? 0 : set->warning_count - 1;
    return set->warning;
}

/* --- finding types ---------------------------------------------------------------------------- */

const struct message_type *type_set_find(const struct type_set *set, const char *full_name,
                                         size_t length)
{
    const struct message_definition *found = definition_of_message(set, full_name, length);
    return found == NULL || found->type->not_supported != NULL ? NULL : found->type;
}

size_t type_set_count(const struct type_set *set)
{
    return set->message_count;
}

const struct message_type *type_set_at(const struct type_set *set, size_t index)
{
    return set->messages[index]->type;
}

const char *type_set_file_at(const struct type_set *set, size_t index)
{
    return set->messages[index]->file;
}

static const char *last_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? name : dot + 1;
}

/* Returns the name of a message that differs only in its package, or NULL. */
static const char *find_last_name(const struct type_set *set, const char *given)
{
    for (size_t i = 0; i < set->message_count; i++)
        if (strcmp(last_name(set->messages[i]->name), last_name(given)) == 0)
            return set->messages[i]->name;
    return NULL;
}

static void refuse_name(const struct type_set *set, const char *full_name, struct error *error)
{
    char shown[200];
    struct suggestion suggestion;
    suggestion_begin(&suggestion, full_name, strlen(full_name));
    for (size_t i = 0; i < set->message_count; i++)
        suggestion_offer(&suggestion, set->messages[i]->name);
    const char *meant = find_last_name(set, full_name);
    if (meant == NULL)
        meant = suggestion_found(&suggestion);
    copy_printable(shown, sizeof shown, full_name, strlen(full_name));
    error_set(error, EXIT_CODE_CONFIG, "no message \"%s\"%s%s%s", shown,
              meant != NULL ? "; did you mean \"" : "", meant != NULL ? meant : "",
              meant != NULL ? "\"?" : "");
}

const struct message_type *type_set_require(const struct type_set *set, const char *full_name,
                                            struct error *error)
{
    const struct message_definition *found =
        definition_of_message(set, full_name, strlen(full_name));
    if (found == NULL) {
        refuse_name(set, full_name, error);
        return NULL;
    }
    const struct message_type *type = found->type;
    if (type->not_supported != NULL) {
        char shown[400]; /* names in the set are arbitrary bytes */
        copy_printable(shown, sizeof shown, type->not_supported, strlen(type->not_supported));
        error_set(error, EXIT_CODE_CONFIG, "message \"%s\": %s", full_name, shown);
        return NULL;
    }
    if (type->map_entry) {
        error_set(error, EXIT_CODE_CONFIG, "message \"%s\" is the entry of a map", full_name);
        return NULL;
    }
    return type;
}
