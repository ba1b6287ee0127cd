# Finds each sluice::NAME with pkg-config. Prefers static archives, so that the program does not need the
# library at run time.
find_package(PkgConfig REQUIRED)

function(sluice_from_pkg_config name module archive)
    pkg_check_modules(${name} REQUIRED ${module})
    find_library(${name}_archive NAMES lib${archive}.a ${archive}
        HINTS ${${name}_LIBRARY_DIRS} REQUIRED)
    sluice_library(${name} INCLUDES ${${name}_INCLUDE_DIRS} LIBRARIES ${${name}_archive})
endfunction()

sluice_from_pkg_config(protobuf_c libprotobuf-c protobuf-c)
# The folder of the headers and of protobuf-c.proto, which defines protobuf-c's options.
pkg_get_variable(PROTOBUF_C_INCLUDEDIR libprotobuf-c includedir)
if(SLUICE_ZSTD)
    sluice_from_pkg_config(zstd libzstd zstd)
endif()
if(SLUICE_ZLIB)
    sluice_from_pkg_config(zlib zlib z)
endif()
if(SLUICE_YAML)
    sluice_from_pkg_config(yaml yaml-0.1 yaml)
endif()

# sluice_loaded(NAME ARCHIVE FOLDER...) is for a library that the program loads at run time. It defines macros
# for users of sluice::NAME: SLUICE_LOADED_NAME, the file to load, and SLUICE_LOADED_NAME_PACKAGE, Debian's
# package with this file (empty on other systems). It also adds both to SLUICE_LOADED_FILES and
# SLUICE_LOADED_PACKAGES, for packages of the program. The file is that of the version whose headers are used;
# in other releases of Debian packages have other names.
#
# ${name}_versions lists other versions, as FILE=PACKAGE, which the program tries if that file is missing.
# SLUICE_LOADED_NAME_FILES contains all files, the first one included, and SLUICE_LOADED_OTHERS the others.
#
# The file of nats.c has another name in each version. From 3.3 to 3.13 the functions that are used have the
# same types, and its enumerations the same numbers. Its structures are not used.
set(nats_versions libnats.so.3.4=libnats3.4 libnats.so.3.10=libnats3.10) # of Debian 12 and 13
function(sluice_loaded name archive)
    find_library(${name}_shared NAMES lib${archive}.so HINTS ${ARGN} REQUIRED)
    execute_process(COMMAND ${CMAKE_READELF} --dynamic --wide ${${name}_shared}
        OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
    if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
        message(FATAL_ERROR "${${name}_shared} has no SONAME")
    endif()
    set(file ${CMAKE_MATCH_1})
    set(package "")
    find_program(DPKG_QUERY NAMES dpkg-query)
    if(DPKG_QUERY)
        get_filename_component(folder ${${name}_shared} DIRECTORY)
        string(REGEX REPLACE "^/usr" "" folder "${folder}") # packages name either place
        execute_process(COMMAND ${DPKG_QUERY} --search "*${folder}/${file}"
            OUTPUT_VARIABLE found ERROR_QUIET)
        if(found MATCHES "^([^:, ]+)")
            set(package ${CMAKE_MATCH_1})
        endif()
    endif()
    string(TOUPPER SLUICE_LOADED_${name} macro)
    set(files "\"${file}\"")
    set(any ${package}) # of these packages
    foreach(version ${${name}_versions})
        string(REPLACE "=" ";" version ${version})
        list(POP_FRONT version other other_package)
        if(NOT other STREQUAL file)
            string(APPEND files ",\"${other}\"")
            list(APPEND SLUICE_LOADED_OTHERS ${other})
            if(package)
                string(APPEND any " | ${other_package}")
            endif()
        endif()
    endforeach()
    target_compile_definitions(sluice_${name} INTERFACE
        ${macro}="${file}" ${macro}_PACKAGE="${package}" "${macro}_FILES=${files}")
    set(SLUICE_LOADED_FILES ${SLUICE_LOADED_FILES} ${file} PARENT_SCOPE)
    set(SLUICE_LOADED_OTHERS ${SLUICE_LOADED_OTHERS} PARENT_SCOPE)
    set(SLUICE_LOADED_PACKAGES ${SLUICE_LOADED_PACKAGES} ${any} PARENT_SCOPE)
endfunction()

if(SLUICE_TLS)
    # Only the headers are needed here. The program loads the library at run time if it needs it.
    pkg_check_modules(OPENSSL REQUIRED openssl>=3.0)
    sluice_library(openssl INCLUDES ${OPENSSL_INCLUDE_DIRS})
    sluice_loaded(openssl ssl ${OPENSSL_LIBRARY_DIRS} ${OPENSSL_LIBDIR})
endif()
# sluice_optional(OPTION NAME MODULE ARCHIVE) is for an optional library, of which only the headers are
# needed. Turns the option off if they are not installed.
macro(sluice_optional option name module archive)
    if(${option})
        pkg_check_modules(${name} ${module})
        if(${name}_FOUND)
            sluice_library(${name} INCLUDES ${${name}_INCLUDE_DIRS})
            sluice_loaded(${name} ${archive} ${${name}_LIBRARY_DIRS} ${${name}_LIBDIR})
        else()
            message(STATUS "${option} is off: pkg-config finds no ${module}")
            set(${option} OFF)
        endif()
    endif()
endmacro()
sluice_optional(SLUICE_CURL curl libcurl>=7.87 curl)
sluice_optional(SLUICE_KAFKA rdkafka rdkafka>=1.9 rdkafka)
sluice_optional(SLUICE_NATS nats libnats>=3.3 nats)
sluice_optional(SLUICE_SODIUM sodium libsodium>=1.0.18 sodium)
if(SLUICE_TOP)
    if(SLUICE_PORTABLE)
        sluice_from_pkg_config(jansson jansson jansson)
        sluice_from_pkg_config(tinfo tinfo tinfo)
        sluice_from_pkg_config(ncurses ncurses ncurses)
        target_link_libraries(sluice_ncurses INTERFACE sluice::tinfo)
    else()
        pkg_check_modules(NCURSES REQUIRED IMPORTED_TARGET ncurses)
        pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
        add_library(sluice::ncurses ALIAS PkgConfig::NCURSES)
        add_library(sluice::jansson ALIAS PkgConfig::JANSSON)
    endif()
endif()
if(SLUICE_TESTS)
    pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
    add_library(sluice::cmocka ALIAS PkgConfig::CMOCKA)
endif()
