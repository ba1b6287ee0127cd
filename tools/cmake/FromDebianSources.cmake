# sluice::NAME built from the sources of Debian's packages, which are downloaded when a build tree
# is configured for the first time.
set(sources ${PROJECT_BINARY_DIR}/debian)

# The source of a package, unpacked: its folder in ${OUT}.
function(sluice_debian_source package out)
    set(folder ${sources}/${package})
    if(NOT EXISTS ${folder})
        message(STATUS "Downloading the source of ${package}")
        execute_process(
            COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch-source ${package} ${folder}
            RESULT_VARIABLE result)
        if(NOT result EQUAL 0)
            message(FATAL_ERROR "Cannot get the source of ${package}")
        endif()
    endif()
    set(${out} ${folder} PARENT_SCOPE)
endfunction()

# protobuf-c's runtime is one file.
sluice_debian_source(protobuf-c folder)
add_library(protobuf_c STATIC EXCLUDE_FROM_ALL ${folder}/protobuf-c/protobuf-c.c)
target_include_directories(protobuf_c SYSTEM PUBLIC ${folder})
sluice_library(protobuf_c LIBRARIES protobuf_c)
set(PROTOBUF_C_INCLUDEDIR ${folder})

if(SLUICE_ZSTD)
    sluice_debian_source(libzstd folder)
    file(GLOB zstd_files ${folder}/lib/common/*.c ${folder}/lib/compress/*.c
        ${folder}/lib/decompress/*.c)
    add_library(zstd STATIC EXCLUDE_FROM_ALL ${zstd_files})
    target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM)
    target_include_directories(zstd SYSTEM PUBLIC ${folder}/lib)
    sluice_library(zstd LIBRARIES zstd)
endif()
if(SLUICE_ZLIB)
    sluice_debian_source(zlib folder)
    file(GLOB zlib_files ${folder}/*.c)
    list(FILTER zlib_files EXCLUDE REGEX "/gz[^/]*\\.c$")
    add_library(zlib STATIC EXCLUDE_FROM_ALL ${zlib_files})
    target_include_directories(zlib SYSTEM PUBLIC ${folder})
    sluice_library(zlib LIBRARIES zlib)
endif()
if(SLUICE_TESTS)
    sluice_debian_source(cmocka folder)
    add_library(cmocka STATIC EXCLUDE_FROM_ALL ${folder}/src/cmocka.c)
    target_include_directories(cmocka SYSTEM PUBLIC ${folder}/include)
    target_compile_definitions(cmocka PRIVATE HAVE_STDINT_H HAVE_INTTYPES_H HAVE_STRINGS_H
        HAVE_UNISTD_H HAVE_IO_H HAVE_MALLOC_H HAVE_SETJMP_H HAVE_STDARG_H HAVE_STDDEF_H
        HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_TIME_H HAVE_SIGNAL_H HAVE_SNPRINTF
        HAVE_VSNPRINTF HAVE_GCC_THREAD_LOCAL_STORAGE)
    sluice_library(cmocka LIBRARIES cmocka)
endif()
