# sluice_program(NAME DESCRIPTION [LTO] SOURCES file... LIBRARIES lib...) makes a program that starts in
# program_main (collector/platform/process.h). LTO enables link-time optimisation if the build has it. On
# Windows the file properties show the program's name and version.
function(sluice_program name description)
    cmake_parse_arguments(PARSE_ARGV 2 arg "LTO" "" "SOURCES;LIBRARIES")
    add_executable(${name} ${arg_SOURCES})
    target_link_libraries(${name} PRIVATE sluice_entry ${arg_LIBRARIES})
    if(arg_LTO)
        target_link_options(${name} PRIVATE ${lto_on})
    else()
        target_link_options(${name} PRIVATE ${lto_off})
    endif()
    if(NOT MSVC AND NOT SLUICE_SANITIZE) # for the bill of materials: what was really linked
        target_link_options(${name} PRIVATE
            LINKER:-Map=${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${name}.map)
    endif()
    if(WIN32)
        set(resource ${CMAKE_CURRENT_BINARY_DIR}/${name}.rc)
        configure_file(${PROJECT_SOURCE_DIR}/tools/cmake/version.rc.in ${resource} @ONLY)
        # This is a separate library, because the resource compiler does not accept our warning
        # options.
        add_library(${name}-version OBJECT ${resource})
        target_link_libraries(${name} PRIVATE ${name}-version)
    endif()
endfunction()
