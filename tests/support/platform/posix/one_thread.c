/*
 * Aborts if a test starts a thread without declaring in CMake that it uses threads. Only tests that
 * declare threads run under the thread sanitizer.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    (void)thread, (void)attributes, (void)run, (void)argument;
    fputs("this test starts a thread: its CMakeLists.txt is to say THREADS\n", stderr);
    abort();
}
