# SLUICE_HARDENED: compiler and linker options that make faults harder to exploit. tools/bench/README.md has
# their cost. The test "hardening" checks that they took effect in each program.
#
# Visual Studio checks stacks by default (/GS).
#
# _FORTIFY_SOURCE=3 would also check objects whose size is known only at run time, for 0.7 % more instructions
# of a datagram. Code is position-independent for programs (PIE), not for shared objects, whose functions
# could be replaced by others at run time and are therefore not inlined.
if(MSVC AND SLUICE_HARDENED)
    set(hardened_options /guard:cf)
    add_compile_options(${hardened_options})
    add_link_options(/guard:cf)
elseif(SLUICE_HARDENED)
    set(hardened_options -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 -fstack-protector-strong)
    if(WIN32)
        # The linker gets -fstack-protector-strong too, so that gcc links the stack protector's
        # library (libssp). The other options are defaults since binutils 2.36. gcc has no
        # control-flow guard.
        add_link_options(-fstack-protector-strong -Wl,--dynamicbase,--high-entropy-va,--nxcompat)
    else()
        list(APPEND hardened_options -fstack-clash-protection
            "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>")
        if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
            list(APPEND hardened_options -fcf-protection)
        endif()
        add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack)
    endif()
    add_compile_options(${hardened_options})
endif()
