# SPDX-License-Identifier: MIT
# libfencerun, shared and static, from the layers' objects.

set(FR_LAYERS $<TARGET_OBJECTS:fr_base> $<TARGET_OBJECTS:fr_executor> $<TARGET_OBJECTS:fr_loop>)
set(FR_MAP ${PROJECT_SOURCE_DIR}/cmake/fencerun.map)

add_library(fencerun_shared SHARED ${FR_LAYERS})
target_link_options(fencerun_shared PRIVATE LINKER:--version-script=${FR_MAP})
if(NOT FR_SANITIZE) # clang has the sanitizers' run-time in the program only
  target_link_options(fencerun_shared PRIVATE LINKER:--no-undefined)
endif()
set_target_properties(fencerun_shared PROPERTIES EXPORT_NAME fencerun
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${FR_MAP})
add_library(fencerun_static STATIC ${FR_LAYERS})
set_target_properties(fencerun_static PROPERTIES EXPORT_NAME static)

foreach(kind shared static)
  set_target_properties(fencerun_${kind} PROPERTIES OUTPUT_NAME fencerun LINKER_LANGUAGE C)
  target_include_directories(fencerun_${kind} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(fencerun_${kind} PRIVATE $<BUILD_INTERFACE:fri_flags>)
endforeach()
target_link_libraries(fencerun_shared PRIVATE PkgConfig::PCRE2 Threads::Threads)
target_link_libraries(fencerun_static PUBLIC
  $<BUILD_INTERFACE:PkgConfig::PCRE2> $<INSTALL_INTERFACE:pcre2-8> Threads::Threads)
