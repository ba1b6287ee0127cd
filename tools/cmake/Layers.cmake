# Reads layers.txt: the libraries that each folder may use. The test `layers` reads it, too.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/layers.txt layer_rows REGEX "^[^#]")
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/layers.txt)

# The code of these folders runs at most once for a block of many records. So their objects have no
# intermediate code for link-time optimisation, which then takes a third less time. A datagram with
# one metric takes 5 instructions more, of 4,743 (tools/instructions, 2026-11-30).
set(rarely_run config config_tests control destinations files glossary health log metrics pipeline program
    spill status)

# sluice_folder(NAME SOURCES file...) makes the library of a folder, sluice_NAME, linked to the libraries in
# its row. The row of a folder in sinks/ is sinks/NAME.
function(sluice_folder name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
    add_library(sluice_${name} STATIC ${arg_SOURCES})
    target_link_libraries(sluice_${name} PUBLIC sluice_build)
    if(NOT name IN_LIST rarely_run)
        target_compile_options(sluice_${name} PRIVATE ${lto_objects})
    endif()
    set(found FALSE)
    foreach(row IN LISTS layer_rows)
        separate_arguments(words UNIX_COMMAND "${row}")
        list(POP_FRONT words folder)
        if(NOT folder MATCHES "^(sinks/)?${name}$")
            continue()
        endif()
        set(found TRUE)
        foreach(word IN LISTS words)
            string(REGEX REPLACE "^sinks/|/[^/]*\\.h$" "" word ${word}) # the folder of a header
            target_link_libraries(sluice_${name} PUBLIC sluice_${word})
        endforeach()
    endforeach()
    if(NOT found)
        message(FATAL_ERROR "layers.txt has no row for ${name}")
    endif()
endfunction()
