# The licence of each library whose code is in the programs for Windows: its name in FromSources.cmake, its
# name in tools/packaging/copyright, and the file in its source folder. Libraries that only tests use have
# no row.
set(sluice_licences
    "curl libcurl COPYING"
    "jansson jansson LICENSE"
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
    # The C library and the start of a program, which are linked in, too.
    set(mingw /usr/share/doc/mingw-w64-common/copyright)
    if(NOT EXISTS ${mingw})
        message(FATAL_ERROR "${mingw} is missing: programs contain parts of mingw-w64")
    endif()
    list(APPEND found mingw-w64 ${mingw})
    set(${out} ${found} PARENT_SCOPE)
endfunction()
