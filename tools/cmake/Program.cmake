# sluice_program(NAME "what it is" [LTO] SOURCES file... LIBRARIES lib...): a program that begins in
# program_main (collector/platform/process.h); with LTO optimised across its files, where the build does
# that. On Windows it carries its name and version, for whoever looks at its properties.
function(sluice_program name description)
    cmake_parse_arguments(PARSE_ARGV 2 arg "LTO" "" "SOURCES;LIBRARIES")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE sluice_entry ${arg_LIBRARIES})
    if(arg_LTO)
        target_link_options(${name} PRIVATE ${lto_on})
    else()
        target_link_options(${name} PRIVATE ${lto_off})
    endif()
    if(WIN32)
        set(resource ${CMAKE_CURRENT_BINARY_DIR}/${name}.rc)
        configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/version.rc.in ${resource} @ONLY)
        # On its own: the warnings that our code is compiled with mean nothing to its compiler.
        add_library(${name}-version OBJECT ${resource})
        target_link_libraries(${name} PRIVATE ${name}-version)
    endif()
endfunction()
