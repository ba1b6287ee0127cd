/*
 * Makes OpenSSL read 65,656 bytes (four records) at a time, as curl does since 2025. Loaded before
 * OpenSSL (LD_PRELOAD).
 */
#include <dlfcn.h>
#include <openssl/ssl.h>
#include <stddef.h>

#define SIZE ((size_t)65656)

/*
 * Finds OpenSSL's own function with this name. The program may be linked with OpenSSL, or load it
 * with dlopen.
 */
static void own(const char *name, void *pointer)
{
    void *found = dlsym(RTLD_NEXT, name);
    void *library = found == NULL ? dlopen("libssl.so.3", RTLD_NOW) : NULL;
    *(void **)pointer = library != NULL ? dlsym(library, name) : found;
}

SSL_CTX *SSL_CTX_new_ex(OSSL_LIB_CTX *context, const char *query, const SSL_METHOD *method)
{
    SSL_CTX *(*make)(OSSL_LIB_CTX *, const char *, const SSL_METHOD *);
    void (*set)(SSL_CTX *, size_t);
    own("SSL_CTX_new_ex", &make);
    own("SSL_CTX_set_default_read_buffer_len", &set);
    SSL_CTX *made = make(context, query, method);
    if (made != NULL)
        set(made, SIZE);
    return made;
}

SSL_CTX *SSL_CTX_new(const SSL_METHOD *method)
{
    return SSL_CTX_new_ex(NULL, NULL, method);
}
