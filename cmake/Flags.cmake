# What every file of ours is compiled and linked with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS ON)  # TRY is a statement expression
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1")
set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g")
if(PROA_SANITIZE)
  # Lines for the reports of sanitizers; variables cost a quarter of the time to compile.
  set(CMAKE_CXX_FLAGS_DEBUG "-O1 -g1")
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi
                    -Wno-missing-field-initializers -Werror -fno-omit-frame-pointer)
add_compile_definitions(_GLIBCXX_ASSERTIONS)

if(PROA_SANITIZE)
  add_compile_options(-fsanitize=${PROA_SANITIZE} -fno-sanitize-recover=all)
  # What the address sanitizer finds as well, and what cost a fifth of the time to compile.
  add_compile_options(-fno-sanitize=null,object-size)
  add_link_options(-fsanitize=${PROA_SANITIZE})
  add_compile_definitions(PROA_SANITIZED)
else()
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  endif()
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64")
    add_compile_options(-fcf-protection)
  elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-mbranch-protection=standard)
  endif()
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms of g++ 12 on plain std::string concatenation (its bugs 105329 and 105651).
  add_compile_options(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety -Wno-gnu-statement-expression -Wno-unused-command-line-argument)
  # Without times in them, precompiled headers that are made anew are the same, and ccache finds what used them.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  # Headers of ours are found relative to the source folder, so that another clone can use a cached precompiled header.
  add_compile_options("SHELL:-Xclang -relocatable-pch" "SHELL:-Xclang -isysroot -Xclang ${CMAKE_SOURCE_DIR}")
endif()
add_link_options(-Wl,-z,relro,-z,now -Wl,--as-needed)

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()
# Paths in programs are relative to where the compiler runs, with and without ccache: a cached object may come from another clone.
file(RELATIVE_PATH to_source "${CMAKE_BINARY_DIR}" "${CMAKE_SOURCE_DIR}")
add_compile_options("-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=${to_source}")
find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers are cached only when ccache may trust their timestamps.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
      "CCACHE_IGNOREOPTIONS=-Xclang -fmacro-prefix-map=*" ${CCACHE})
endif()
