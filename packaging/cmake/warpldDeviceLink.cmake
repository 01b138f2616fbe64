# warpld_device_link(): links relocatable device code in a build.
#
# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0
#
#   warpld_device_link(NAME
#       INPUTS file|generator expression...
#       ARCHITECTURES sm_80 sm_90...
#       [FORMAT OBJECT|CUBIN]
#       [OUTPUT_DIRECTORY folder]
#       [OPTIONS option...])
#
# Defines a target NAME, which `all` builds, and sets the variable NAME_OUTPUTS to the files that
# the target makes in the output directory (default: the current binary directory):
#
#   CUBIN   NAME.sm_80.cubin, NAME.sm_90.cubin ...: an executable cubin for each architecture
#   OBJECT  NAME.o: a host object with the device code of all architectures, to be linked with
#           the objects of the inputs. Needs a warpld whose --help=all lists --device-link.
#
# The default is OBJECT. INPUTS are files that warpld reads: cubins, fat binaries, host objects or
# archives, for example $<TARGET_OBJECTS:kernels>. OPTIONS are passed to warpld.

# Sets the variable named RESULT to whether the command has the option --device-link.
function(_warpld_has_device_link RESULT)
    execute_process(COMMAND "${WARPLD_EXECUTABLE}" --help=all
        OUTPUT_VARIABLE help ERROR_QUIET RESULT_VARIABLE status)
    if(status EQUAL 0 AND help MATCHES "--device-link[ ,\n]")
        set(${RESULT} TRUE PARENT_SCOPE)
    else()
        set(${RESULT} FALSE PARENT_SCOPE)
    endif()
endfunction()

# Adds the rule that links INPUTS to OUTPUT. The arguments after INPUTS are options of warpld.
function(_warpld_add_link OUTPUT INPUTS)
    add_custom_command(
        OUTPUT "${OUTPUT}"
        COMMAND warpld::command ${ARGN} -o "${OUTPUT}" ${INPUTS}
        DEPENDS ${INPUTS} warpld::command
        COMMENT "Linking device code ${OUTPUT}"
        COMMAND_EXPAND_LISTS
        VERBATIM)
endfunction()

function(warpld_device_link NAME)
    cmake_parse_arguments(PARSE_ARGV 1 LINK
        "" "FORMAT;OUTPUT_DIRECTORY" "INPUTS;ARCHITECTURES;OPTIONS")
    if(LINK_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "warpld_device_link: unknown arguments: ${LINK_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT LINK_INPUTS OR NOT LINK_ARCHITECTURES)
        message(FATAL_ERROR "warpld_device_link: INPUTS and ARCHITECTURES are required")
    endif()
    if(NOT TARGET warpld::command)
        message(FATAL_ERROR
            "warpld_device_link: the command warpld was not found; set WARPLD_EXECUTABLE")
    endif()
    if(NOT LINK_OUTPUT_DIRECTORY)
        set(LINK_OUTPUT_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}")
    endif()
    set(stem "${LINK_OUTPUT_DIRECTORY}/${NAME}")
    set(outputs)
    if(NOT LINK_FORMAT OR LINK_FORMAT STREQUAL "OBJECT")
        _warpld_has_device_link(has_device_link)
        if(NOT has_device_link)
            message(FATAL_ERROR "warpld_device_link: ${WARPLD_EXECUTABLE} has no --device-link; "
                "use FORMAT CUBIN or install a warpld that has it")
        endif()
        list(JOIN LINK_ARCHITECTURES "," architectures)
        _warpld_add_link("${stem}.o" "${LINK_INPUTS}"
            --device-link "--arch=${architectures}" ${LINK_OPTIONS})
        set(outputs "${stem}.o")
        set_source_files_properties("${stem}.o" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    elseif(LINK_FORMAT STREQUAL "CUBIN")
        foreach(architecture IN LISTS LINK_ARCHITECTURES)
            _warpld_add_link("${stem}.${architecture}.cubin" "${LINK_INPUTS}"
                "-arch=${architecture}" ${LINK_OPTIONS})
            list(APPEND outputs "${stem}.${architecture}.cubin")
        endforeach()
    else()
        message(FATAL_ERROR "warpld_device_link: FORMAT is OBJECT or CUBIN, not ${LINK_FORMAT}")
    endif()
    add_custom_target(${NAME} ALL DEPENDS ${outputs})
    set(${NAME}_OUTPUTS ${outputs} PARENT_SCOPE)
endfunction()
