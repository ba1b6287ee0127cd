/*
 * Third-party libraries that only some configurations need, each as a table of its functions.
 *
 * On POSIX a library is loaded at run time: a program without TLS, metrics or a broker needs
 * neither OpenSSL, libcurl nor librdkafka on the machine, and no memory for them. A library stays
 * loaded until the program ends.
 *
 * On Windows, where a program is one file, and in a static build a library is linked in, and its
 * table is a constant. The declaration below is the same; the library's CMake target
 * (tools/cmake/FromSources.cmake and FromVcpkg.cmake) supplies the functions, and a library that a
 * build lacks is left out of it by its option (SLUICE_CURL, SLUICE_KAFKA ...), together with the
 * file that defines the table.
 *
 * A library is declared in one header and defined in one file. Its functions are a list, in which P
 * is the prefix that all their names begin with (empty: none):
 *
 *     #define KAFKA_FUNCTIONS(FUNCTION, P) FUNCTION(P, poll) FUNCTION(P, flush)
 *     SHARED_LIBRARY_DECLARE(kafka, rd_kafka_, KAFKA_FUNCTIONS)
 *
 *     SHARED_LIBRARY_DEFINE(kafka, rd_kafka_, KAFKA_FUNCTIONS, version_str(),
 *                           "librdkafka", SLUICE_LOADED_RDKAFKA, SLUICE_LOADED_RDKAFKA_PACKAGE,
 *                           "kafka")
 *
 * This makes `struct kafka_library`, with a pointer `poll` of the type of rd_kafka_poll, and:
 *
 *     const struct kafka_library *kafka_library(struct error *error);
 *     const char *kafka_library_version(void);
 *
 * Main thread. kafka_library loads the library at its first call. It returns NULL with `error`
 * filled (EXIT_CODE_CONFIG) if this machine does not have the library or it lacks a function, and
 * tries again at the next call. A library that is linked in is always returned.
 * kafka_library_version returns "librdkafka 2.0.2", or "librdkafka (not on this system)". The names
 * of the file and of its package are those of the library whose headers the program is compiled
 * with (FromPkgConfig.cmake). In place of the file's name there may be several, separated by
 * commas, for versions that have the same functions: the first of them that the system has is
 * loaded.
 */
#ifndef SLUICE_COLLECTOR_PLATFORM_SHARED_LIBRARY_H
#define SLUICE_COLLECTOR_PLATFORM_SHARED_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

#include "collector/base/error.h"

/* The size in bytes of a library's name and version, as text. */
#define SHARED_LIBRARY_VERSION_SIZE 64

/*
 * Writes the library's name and version to `text` and returns `text`. `said` is the library's own
 * text about its version: from "libcurl/7.88.1 zlib/1.2" it makes "libcurl 7.88.1". NULL: the
 * library is missing.
 */
const char *shared_library_version(char text[SHARED_LIBRARY_VERSION_SIZE], const char *name,
                                   const char *said);

#define SHARED_LIBRARY_MEMBER(prefix, name) __typeof__(prefix##name) *name;

#define SHARED_LIBRARY_DECLARE(id, prefix, FUNCTIONS)                                              \
    struct id##_library {                                                                          \
        FUNCTIONS(SHARED_LIBRARY_MEMBER, prefix)                                                   \
    };                                                                                             \
    const struct id##_library *id##_library(struct error *error);                                  \
    const char *id##_library_version(void);

#if defined _WIN32 || defined SLUICE_STATIC

#define SHARED_LIBRARY_LINKED(prefix, name) prefix##name,

/* `said` is the call that returns the library's version, without the prefix: version_str(). */
#define SHARED_LIBRARY_DEFINE(id, prefix, FUNCTIONS, said, name_text, file_name, package_text,     \
                              user_text)                                                           \
    static const struct id##_library functions = {FUNCTIONS(SHARED_LIBRARY_LINKED, prefix)};       \
    const struct id##_library *id##_library(struct error *error)                                   \
    {                                                                                              \
        (void)error;                                                                               \
        return &functions;                                                                         \
    }                                                                                              \
    const char *id##_library_version(void)                                                         \
    {                                                                                              \
        static char version[SHARED_LIBRARY_VERSION_SIZE];                                          \
        return shared_library_version(version, (name_text), functions.said);                       \
    }

#else

struct shared_library {
    const char *name; /* for people: "librdkafka" */
    /* Names of files, without a folder, with the interface's number ("libcurl.so.4"); then NULL. */
    const char *const *files;
    const char *package;      /* Debian's package that contains it; empty if it is not known */
    const char *user;         /* feature that needs it, for errors: "kafka" */
    const char *const *names; /* names of its functions */
    size_t count;
    void *pointers; /* a structure of `count` pointers to functions, in the same order */
    bool loaded;
};

/* Fills the structure. Returns false with `error` filled (EXIT_CODE_CONFIG). Main thread. */
bool shared_library_fill(struct shared_library *library, struct error *error);

#define SHARED_LIBRARY_NAME(prefix, name) #prefix #name,

/* `said` is the call that returns the library's version, without the prefix: version_str(). */
#define SHARED_LIBRARY_DEFINE(id, prefix, FUNCTIONS, said, name_text, file_name, package_text,     \
                              user_text)                                                           \
    static const char *const function_names[] = {FUNCTIONS(SHARED_LIBRARY_NAME, prefix)};          \
    static struct id##_library functions;                                                          \
    static const char *const file_names[] = {file_name, NULL};                                     \
    static struct shared_library description = {.name = (name_text),                               \
                                                .files = file_names,                               \
                                                .package = (package_text),                         \
                                                .user = (user_text),                               \
                                                .names = function_names,                           \
                                                .count = sizeof function_names / sizeof(char *),   \
                                                .pointers = &functions};                           \
    _Static_assert(sizeof functions == sizeof function_names, "pointers to functions only");       \
    const struct id##_library *id##_library(struct error *error)                                   \
    {                                                                                              \
        return shared_library_fill(&description, error) ? &functions : NULL;                       \
    }                                                                                              \
    const char *id##_library_version(void)                                                         \
    {                                                                                              \
        static char version[SHARED_LIBRARY_VERSION_SIZE];                                          \
        struct error ignored;                                                                      \
        return shared_library_version(version, description.name,                                   \
                                      id##_library(&ignored) != NULL ? functions.said : NULL);     \
    }

/*
 * Loads a library by its file's name, without a folder: the system searches its folders. Returns
 * its handle, or NULL with `error` filled (EXIT_CODE_CONFIG).
 */
void *shared_library_load(const char *name, struct error *error);

/*
 * Stores the address of a library's function in the pointer to a function (of any type) at
 * `pointer`. Returns false with `error` filled (EXIT_CODE_CONFIG) if the library lacks the
 * function.
 */
bool shared_library_find(void *library, const char *function, void *pointer, struct error *error);

#endif

#endif
