# Files that become part of the program.

# Lets `source` take in files with .incbin from `folder`, whose name is in the macro `definition`: a path relative to where
# compilers run, the same in every clone. Neither compilers nor ccache see what .incbin reads. A header with the digests of
# ARGN, from which the embedded files come, is included ahead of the source: a changed file is a changed source.
# REQUIRES: comes before the room of the source.
function(proa_embed source definition folder)
  set(text "")
  foreach(file ${ARGN})
    file(SHA256 "${file}" digest)
    get_filename_component(name "${file}" NAME)
    string(APPEND text "// ${digest} ${name}\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(header "generated/${definition}.h")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/${header}" CONTENT "${text}" @ONLY)
  file(RELATIVE_PATH path "${CMAKE_BINARY_DIR}" "${folder}")
  set_source_files_properties("${CMAKE_SOURCE_DIR}/${source}" PROPERTIES COMPILE_OPTIONS "-include;${header}"
    COMPILE_DEFINITIONS "${definition}=\"${path}\"" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(proa_embed_schema source)
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/schema/*.schema")
  proa_embed(${source} PROA_SCHEMA_FOLDER "${CMAKE_SOURCE_DIR}/schema" ${files})
endfunction()

# The programs of the images that proa carries inside: C without a library, for the machine that we build for.
# gcc whatever the rest is built with, and with flags of their own: no sanitizer works without a library.
find_program(PROA_IMAGE_COMPILER NAMES gcc cc REQUIRED)

# Makes packaging/images/PROGRAM.c, for each program, and embeds them.
function(proa_embed_images source)
  set(folder "${CMAKE_BINARY_DIR}/images")
  file(MAKE_DIRECTORY "${folder}")
  set(from "${CMAKE_SOURCE_DIR}/packaging/images")
  set(programs "")
  set(code "${from}/freestanding.h")
  foreach(program ${ARGN})
    add_custom_command(OUTPUT "${folder}/${program}"
      COMMAND "${PROA_IMAGE_COMPILER}" -std=c17 -Os -Wall -Wextra -Werror -ffreestanding -fno-pie -fno-stack-protector
        -fno-asynchronous-unwind-tables -fno-tree-loop-distribute-patterns
        -static -nostdlib -no-pie -s -Wl,--build-id=none -Wl,-z,noseparate-code -Wl,-z,norelro -Wl,-z,noexecstack
        -o "${folder}/${program}" "${from}/${program}.c"
      DEPENDS "${from}/${program}.c" "${from}/freestanding.h" COMMENT "Image program ${program}" VERBATIM)
    list(APPEND programs "${folder}/${program}")
    list(APPEND code "${from}/${program}.c")
  endforeach()
  proa_embed(${source} PROA_IMAGE_FOLDER "${folder}" ${code})
  set_source_files_properties("${CMAKE_SOURCE_DIR}/${source}" PROPERTIES OBJECT_DEPENDS "${programs}")
endfunction()
