# Builds each sluice::NAME from sources. They are in the folder SLUICE_NAME_SOURCE, or, if that is not set,
# from Debian's package, which is downloaded when a build tree is configured for the first time.
set(downloads ${PROJECT_BINARY_DIR}/debian)

# sluice_source(NAME PACKAGE) sets ${NAME}_source to the source folder of the library NAME, whose Debian
# source package is PACKAGE.
set(missing)
set(given_names)
macro(sluice_source name package)
    string(TOUPPER ${name} given)
    set(SLUICE_${given}_SOURCE "" CACHE PATH "A folder with its source, instead of Debian's")
    list(APPEND given_names ${given})
    if(SLUICE_${given}_SOURCE)
        set(${name}_source ${SLUICE_${given}_SOURCE})
    else()
        set(${name}_source ${downloads}/${package})
        if(NOT EXISTS ${${name}_source})
            list(APPEND missing ${package})
        endif()
    endif()
endmacro()

sluice_source(protobuf_c protobuf-c)
if(SLUICE_ZSTD)
    sluice_source(zstd libzstd)
endif()
if(SLUICE_ZLIB)
    sluice_source(zlib zlib)
endif()
if(SLUICE_YAML)
    sluice_source(yaml libyaml)
endif()
if(SLUICE_STATIC AND (SLUICE_TLS OR SLUICE_CURL OR SLUICE_KAFKA OR SLUICE_NATS))
    sluice_source(openssl openssl)
endif()
if(SLUICE_CURL)
    sluice_source(curl curl)
    if(SLUICE_STATIC)
        sluice_source(nghttp2 nghttp2)
    endif()
endif()
if(SLUICE_TOP)
    sluice_source(jansson jansson)
endif()
if(SLUICE_KAFKA)
    sluice_source(rdkafka librdkafka)
endif()
if(SLUICE_NATS)
    sluice_source(nats nats.c)
endif()
if(SLUICE_SODIUM)
    sluice_source(sodium libsodium)
endif()
if(SLUICE_TESTS)
    sluice_source(cmocka cmocka)
endif()

if(missing)
    list(JOIN missing ", " names)
    list(JOIN given_names ", " given_names)
    message(STATUS "Downloading the sources of ${names}")
    execute_process(
        COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch-source ${downloads} ${missing}
        RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        message(FATAL_ERROR "Cannot get the sources of ${names} from Debian. Folders with sources "
            "can be given by -DSLUICE_NAME_SOURCE=, where NAME is one of ${given_names}.")
    endif()
endif()

# Third-party code is compiled without our warning options.
function(sluice_built name includes)
    add_library(${name} STATIC EXCLUDE_FROM_ALL ${ARGN})
    target_include_directories(${name} SYSTEM PUBLIC ${includes})
    if(NOT MSVC)
        target_compile_options(${name} PRIVATE -g0) # saves a third of the compiling
    endif()
    sluice_library(${name} LIBRARIES ${name})
endfunction()

# protobuf-c's runtime is one file.
sluice_built(protobuf_c ${protobuf_c_source} ${protobuf_c_source}/protobuf-c/protobuf-c.c)
set(PROTOBUF_C_INCLUDEDIR ${protobuf_c_source})

# zstd is built from the files of its lib/ in the default configuration: one thread, and no formats
# older than 0.8.
if(SLUICE_ZSTD)
    file(GLOB files ${zstd_source}/lib/common/*.c ${zstd_source}/lib/compress/*.c
        ${zstd_source}/lib/decompress/*.c)
    sluice_built(zstd ${zstd_source}/lib ${files})
    # The calling convention of zstd's assembly code is not that of Windows.
    target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM)
    # The higher levels are not used. Optimising them for size saves 4 s of compiling.
    if(NOT MSVC)
        set_source_files_properties(${zstd_source}/lib/compress/zstd_double_fast.c
            ${zstd_source}/lib/compress/zstd_lazy.c ${zstd_source}/lib/compress/zstd_opt.c
            PROPERTIES COMPILE_OPTIONS -Os)
    endif()
endif()

# zlib is built without the part that opens files.
if(SLUICE_ZLIB)
    file(GLOB files ${zlib_source}/*.c)
    list(FILTER files EXCLUDE REGEX "/gz[^/]*\\.c$")
    sluice_built(zlib ${zlib_source} ${files})
endif()

# libyaml's CMakeLists.txt is not used, so the version that src/yaml_private.h expects in config.h is defined
# here.
if(SLUICE_YAML)
    file(GLOB files ${yaml_source}/src/*.c)
    sluice_built(yaml ${yaml_source}/include ${files})
    file(STRINGS ${yaml_source}/CMakeLists.txt numbers REGEX "^set \\(YAML_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
    list(JOIN numbers "." version)
    list(POP_FRONT numbers major minor patch)
    target_compile_definitions(yaml
        PUBLIC YAML_DECLARE_STATIC
        PRIVATE $<$<NOT:$<BOOL:${WIN32}>>:_POSIX_C_SOURCE=200809L> # strdup
            YAML_VERSION_MAJOR=${major} YAML_VERSION_MINOR=${minor} YAML_VERSION_PATCH=${patch}
            YAML_VERSION_STRING="${version}")
endif()

# These values would be found by jansson's own CMake script. For this compiler they are known.
function(sluice_jansson)
    foreach(found HAVE_INT32_T HAVE_LOCALE_H HAVE_SSIZE_T HAVE_STDINT_H HAVE_SYS_TYPES_H HAVE_UINT16_T
            HAVE_UINT32_T HAVE_UINT8_T USE_WINDOWS_CRYPTOAPI)
        set(${found} ON)
    endforeach()
    set(JANSSON_INITIAL_HASHTABLE_ORDER 3)
    set(JSON_INLINE inline)
    set(JSON_INT_T "long long")
    set(JSON_STRTOINT strtoll)
    set(JSON_INTEGER_FORMAT "\"lld\"")
    foreach(found JSON_HAVE_ATOMIC_BUILTINS JSON_HAVE_LOCALECONV JSON_HAVE_SYNC_BUILTINS)
        set(${found} 1)
    endforeach()
    set(made ${PROJECT_BINARY_DIR}/jansson)
    foreach(header jansson_config.h jansson_private_config.h)
        configure_file(${jansson_source}/cmake/${header}.cmake ${made}/${header})
    endforeach()
    file(GLOB files ${jansson_source}/src/*.c)
    sluice_built(jansson "${jansson_source}/src;${made}" ${files})
    target_compile_definitions(jansson PRIVATE HAVE_CONFIG_H HAVE_STDINT_H)
endfunction()
if(SLUICE_TOP)
    sluice_jansson()
endif()

# The order matters, because each of these links those before it.
if(openssl_source)
    include(${CMAKE_CURRENT_LIST_DIR}/SourceOpenssl.cmake)
endif()
if(SLUICE_CURL)
    include(${CMAKE_CURRENT_LIST_DIR}/SourceCurl.cmake)
endif()
if(SLUICE_KAFKA)
    include(${CMAKE_CURRENT_LIST_DIR}/SourceKafka.cmake)
endif()
if(SLUICE_NATS)
    include(${CMAKE_CURRENT_LIST_DIR}/SourceNats.cmake)
endif()

# libsodium is built with all its implementations, because it selects one at run time. The
# definitions are those of its configure script, except that Windows has no AVX2: gcc may place AVX
# values of 32 bytes on a stack that Windows aligns to only 16 bytes.
function(sluice_sodium)
    set(from ${sodium_source}/src/libsodium)
    set(made ${PROJECT_BINARY_DIR}/sodium)
    file(STRINGS ${sodium_source}/configure.ac numbers REGEX "^AC_INIT|^SODIUM_LIBRARY_VERSION_M")
    string(REGEX MATCH "[0-9]+\\.[0-9.]+[0-9]" VERSION "${numbers}")
    foreach(part MAJOR MINOR)
        string(REGEX MATCH "SODIUM_LIBRARY_VERSION_${part}=([0-9]+)" found "${numbers}")
        set(SODIUM_LIBRARY_VERSION_${part} ${CMAKE_MATCH_1})
    endforeach()
    configure_file(${from}/include/sodium/version.h.in ${made}/sodium/version.h @ONLY)
    configure_file(${from}/include/sodium/export.h ${made}/sodium/export.h COPYONLY) # which it includes
    file(GLOB_RECURSE files ${from}/*.c)
    sluice_built(sodium "${from}/include;${made}" ${files})
    target_include_directories(sodium PRIVATE ${from}/include/sodium ${made}/sodium)
    target_compile_definitions(sodium
        PUBLIC SODIUM_STATIC
        PRIVATE CONFIGURED=1 NATIVE_LITTLE_ENDIAN=1 HAVE_C_VARARRAYS HAVE_INLINE_ASM HAVE_TI_MODE)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        target_compile_definitions(sodium PRIVATE HAVE_CPUID HAVE_EMMINTRIN_H HAVE_PMMINTRIN_H
            HAVE_SMMINTRIN_H HAVE_TMMINTRIN_H)
    endif()
    target_compile_options(sodium PRIVATE -w)
    if(WIN32)
        target_link_libraries(sodium PUBLIC advapi32)
    else()
        target_compile_definitions(sodium PRIVATE _GNU_SOURCE HAVE_ALLOCA_H HAVE_ATOMIC_OPS
            HAVE_CATCHABLE_ABRT HAVE_CATCHABLE_SEGV HAVE_CLOCK_GETTIME HAVE_EXPLICIT_BZERO HAVE_GETPID
            HAVE_LINUX_COMPATIBLE_GETRANDOM HAVE_MADVISE HAVE_MLOCK HAVE_MMAP HAVE_MPROTECT HAVE_NANOSLEEP
            HAVE_POSIX_MEMALIGN HAVE_PTHREAD HAVE_RAISE HAVE_SYSCONF HAVE_SYS_AUXV_H HAVE_SYS_MMAN_H
            HAVE_SYS_PARAM_H HAVE_SYS_RANDOM_H HAVE_WEAK_SYMBOLS
            $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:HAVE_AVXINTRIN_H$<SEMICOLON>HAVE_AVX2INTRIN_H>)
    endif()
endfunction()
if(SLUICE_SODIUM)
    sluice_sodium()
endif()

if(SLUICE_TESTS)
    sluice_built(cmocka ${cmocka_source}/include ${cmocka_source}/src/cmocka.c)
    target_compile_definitions(cmocka PRIVATE HAVE_STDINT_H HAVE_INTTYPES_H HAVE_STRINGS_H
        HAVE_UNISTD_H $<$<BOOL:${WIN32}>:HAVE_IO_H> HAVE_MALLOC_H HAVE_SETJMP_H HAVE_STDARG_H HAVE_STDDEF_H
        HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_TIME_H HAVE_SIGNAL_H HAVE_SNPRINTF
        HAVE_VSNPRINTF HAVE_GCC_THREAD_LOCAL_STORAGE)
endif()
