# sluice::NAME built from sources: those in SLUICE_NAME_SOURCE, else those of Debian's package, which
# are downloaded when a build tree is configured for the first time.
set(downloads ${PROJECT_BINARY_DIR}/debian)

# The library NAME, of the Debian source package PACKAGE: its folder is in ${NAME}_source.
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
        target_compile_options(${name} PRIVATE -g0) # compiled in two thirds of the time
    endif()
    sluice_library(${name} LIBRARIES ${name})
endfunction()

# protobuf-c's runtime is one file.
sluice_built(protobuf_c ${protobuf_c_source} ${protobuf_c_source}/protobuf-c/protobuf-c.c)
set(PROTOBUF_C_INCLUDEDIR ${protobuf_c_source})

# The files of its lib/ in the default configuration: one thread, no formats older than 0.8.
if(SLUICE_ZSTD)
    file(GLOB files ${zstd_source}/lib/common/*.c ${zstd_source}/lib/compress/*.c
        ${zstd_source}/lib/decompress/*.c)
    sluice_built(zstd ${zstd_source}/lib ${files})
    # Its assembly code uses another calling convention.
    target_compile_definitions(zstd PRIVATE ZSTD_DISABLE_ASM)
    # The higher levels are not used: optimising them for size saves 4 s of compiling.
    if(NOT MSVC)
        set_source_files_properties(${zstd_source}/lib/compress/zstd_double_fast.c
            ${zstd_source}/lib/compress/zstd_lazy.c ${zstd_source}/lib/compress/zstd_opt.c
            PROPERTIES COMPILE_OPTIONS -Os)
    endif()
endif()

# Without the part that opens files.
if(SLUICE_ZLIB)
    file(GLOB files ${zlib_source}/*.c)
    list(FILTER files EXCLUDE REGEX "/gz[^/]*\\.c$")
    sluice_built(zlib ${zlib_source} ${files})
endif()

# Without its CMakeLists.txt only the version is missing: src/yaml_private.h would take it from config.h.
if(SLUICE_YAML)
    file(GLOB files ${yaml_source}/src/*.c)
    sluice_built(yaml ${yaml_source}/include ${files})
    file(STRINGS ${yaml_source}/CMakeLists.txt numbers REGEX "^set \\(YAML_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" numbers "${numbers}")
    list(JOIN numbers "." version)
    list(POP_FRONT numbers major minor patch)
    target_compile_definitions(yaml
        PUBLIC YAML_DECLARE_STATIC
        PRIVATE YAML_VERSION_MAJOR=${major} YAML_VERSION_MINOR=${minor} YAML_VERSION_PATCH=${patch}
            YAML_VERSION_STRING="${version}")
endif()

if(SLUICE_TESTS)
    sluice_built(cmocka ${cmocka_source}/include ${cmocka_source}/src/cmocka.c)
    target_compile_definitions(cmocka PRIVATE HAVE_STDINT_H HAVE_INTTYPES_H HAVE_STRINGS_H
        HAVE_UNISTD_H HAVE_IO_H HAVE_MALLOC_H HAVE_SETJMP_H HAVE_STDARG_H HAVE_STDDEF_H
        HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRING_H HAVE_TIME_H HAVE_SIGNAL_H HAVE_SNPRINTF
        HAVE_VSNPRINTF HAVE_GCC_THREAD_LOCAL_STORAGE)
endif()
