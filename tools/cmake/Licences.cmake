# Each row is for a library whose code is in programs that are linked from sources (for Windows, and
# static). It has the library's name in FromSources.cmake, its name in tools/packaging/copyright,
# and the file of its licence in its source folder. Libraries that only tests use have no row.
set(sluice_licences
    "curl libcurl COPYING"
    "jansson jansson LICENSE"
    "nats nats.c LICENSE"
    "nghttp2 nghttp2 COPYING"
    "openssl openssl LICENSE.txt"
    "protobuf_c protobuf-c LICENSE"
    "rdkafka librdkafka LICENSES.txt"
    "sodium libsodium LICENSE"
    "yaml libyaml License"
    "zlib zlib LICENSE"
    "zstd zstd LICENSE")

# Sets OUT to "NAME;FILE" for each library of this build. A library without a row stops the configuration,
# because its licence would be missing in a package.
function(sluice_find_licences out)
    get_cmake_property(libraries CACHE_VARIABLES)
    list(FILTER libraries INCLUDE REGEX "^SLUICE_.*_SOURCE$")
    list(TRANSFORM libraries REPLACE "^SLUICE_(.*)_SOURCE$" "\\1")
    list(TRANSFORM libraries TOLOWER)
    set(found)
    foreach(library ${libraries})
        if(NOT DEFINED ${library}_source OR library STREQUAL "cmocka")
            continue()
        endif()
        set(row ${sluice_licences})
        list(FILTER row INCLUDE REGEX "^${library} ")
        string(REPLACE " " ";" row "${row}")
        list(POP_FRONT row unused name file)
        if(file STREQUAL "" OR NOT EXISTS ${${library}_source}/${file})
            message(FATAL_ERROR "tools/cmake/Licences.cmake has no licence of ${library}")
        endif()
        list(APPEND found ${name} ${${library}_source}/${file})
    endforeach()
    # The C library and the startup code are linked too.
    if(WIN32)
        set(library mingw-w64)
        set(copyright /usr/share/doc/mingw-w64-common/copyright)
    else()
        set(library musl)
        set(copyright /usr/share/doc/musl-dev/copyright)
    endif()
    if(NOT EXISTS ${copyright})
        message(FATAL_ERROR "${copyright} is missing: programs contain parts of ${library}")
    endif()
    list(APPEND found ${library} ${copyright})
    set(${out} ${found} PARENT_SCOPE)
endfunction()
