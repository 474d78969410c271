# SPDX-License-Identifier: MIT
# How every C file of the project is compiled.

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

# What all targets share; `fri_private` adds what only our own code may see.
add_library(fri_flags INTERFACE)
target_compile_options(fri_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla
  -Wcast-qual -Wwrite-strings -Wundef -Wpointer-arith -Wimplicit-fallthrough
  # Statement expressions are gnu11, which both compilers share. Clang does not forgive macros of
  # system headers (libseccomp's) that leave fields out.
  $<$<C_COMPILER_ID:Clang>:-Wno-gnu-statement-expression -Wno-missing-field-initializers>
  $<$<C_COMPILER_ID:GNU>:-Wno-pedantic -Wno-format-nonliteral>
  $<$<BOOL:${FR_WERROR}>:-Werror>)
target_compile_definitions(fri_flags INTERFACE _GNU_SOURCE)
if(FR_SANITIZE)
  target_compile_options(fri_flags INTERFACE -fsanitize=${FR_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(fri_flags INTERFACE -fsanitize=${FR_SANITIZE})
else()
  # glibc refuses _FORTIFY_SOURCE without optimisation.
  target_compile_options(fri_flags INTERFACE -fstack-protector-strong -fstack-clash-protection
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(fri_flags INTERFACE LINKER:-z,relro,-z,now)
endif()

add_library(fri_private INTERFACE)
target_link_libraries(fri_private INTERFACE fri_flags)
target_include_directories(fri_private INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
target_compile_options(fri_private INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-include${PROJECT_SOURCE_DIR}/base/banned.h>)
