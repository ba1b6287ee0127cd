# Third-party libraries, each as a target sluice::NAME, and the compilers of .proto files. They come from
# pkg-config on POSIX, also in a cross build for Linux; from CMake's search in a native build on Windows, where
# vcpkg has installed them; and from sources in a cross build for Windows and in a static build, by default
# Debian's source packages, because Debian has no binary packages of them for Windows and for musl.

find_program(PROTOC NAMES protoc REQUIRED)
find_program(PROTOC_GEN_C NAMES protoc-gen-c REQUIRED) # protobuf-c's plug-in for protoc

# sluice_library(NAME INCLUDES folder... LIBRARIES file or target...)
function(sluice_library name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "INCLUDES;LIBRARIES")
    add_library(sluice_${name} INTERFACE)
    add_library(sluice::${name} ALIAS sluice_${name})
    target_include_directories(sluice_${name} SYSTEM INTERFACE ${arg_INCLUDES})
    target_link_libraries(sluice_${name} INTERFACE ${arg_LIBRARIES})
endfunction()

if((WIN32 AND CMAKE_CROSSCOMPILING) OR SLUICE_STATIC)
    include(${CMAKE_CURRENT_LIST_DIR}/FromSources.cmake)
elseif(WIN32)
    include(${CMAKE_CURRENT_LIST_DIR}/FromVcpkg.cmake)
else()
    include(${CMAKE_CURRENT_LIST_DIR}/FromPkgConfig.cmake)
endif()

# Some systems have the functions of libm in their C library.
find_library(MATH_LIBRARY m)
add_library(sluice_math INTERFACE)
add_library(sluice::math ALIAS sluice_math)
if(MATH_LIBRARY)
    target_link_libraries(sluice_math INTERFACE ${MATH_LIBRARY})
endif()
