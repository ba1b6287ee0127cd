# sluice_event_messages(NAME FILE.mc) compiles messages for the Windows event log. It makes FILE.h in the
# binary folder, with the message ids, and the object library NAME, which must be linked to the program: the
# event viewer finds the texts in it.
find_program(SLUICE_MESSAGE_COMPILER NAMES mc REQUIRED)

function(sluice_event_messages name source)
    get_filename_component(base ${source} NAME_WE)
    set(folder ${CMAKE_CURRENT_BINARY_DIR})
    set(header ${folder}/${base}.h)
    set(resource ${folder}/${base}.rc)
    add_custom_command(OUTPUT ${header} ${resource} ${folder}/messages_en.bin
        COMMAND ${SLUICE_MESSAGE_COMPILER} -h ${folder} -r ${folder}
            ${CMAKE_CURRENT_SOURCE_DIR}/${source}
        DEPENDS ${source}
        VERBATIM)
    add_library(${name} OBJECT ${resource} ${header})
    target_include_directories(${name} PRIVATE ${folder})
endfunction()
