/* Calls a function before main, by the compiler's own means. */
#ifndef SLUICE_TESTS_SUPPORT_PLATFORM_BEFORE_MAIN_H
#define SLUICE_TESTS_SUPPORT_PLATFORM_BEFORE_MAIN_H

/* Defines a function that is called before main: TEST_BEFORE_MAIN(function) { ... } */
#ifdef _MSC_VER
#pragma section(".CRT$XCU", read)
#define TEST_BEFORE_MAIN(function)                                                                 \
    static void function(void);                                                                    \
    __declspec(allocate(".CRT$XCU")) void (*function##_pointer)(void) = function;                  \
    static void function(void)
#else
#define TEST_BEFORE_MAIN(function)                                                                 \
    static void function(void) __attribute__((constructor));                                       \
    static void function(void)
#endif

#endif
