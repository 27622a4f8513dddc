# Files as arrays of a C source: `const unsigned char NAME[]`, with a zero behind it, `const size_t NAME_size`, and the SHA-256 of the file as
# `const unsigned char NAME_sha256[32]`.
# cmake -D OUT=FILE -D "FILES=NAME=FILE|..." -P embed.cmake
set(text "/* Made by cmake/embed.cmake. */\n#include <stddef.h>\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(item IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ ${item})
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  file(READ ${file} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(SHA256 ${file} hash)
  string(REGEX REPLACE "(..)" "0x\\1," hash "${hash}")
  string(APPEND text "extern const unsigned char ${name}[];\nextern const size_t ${name}_size;\n"
    "extern const unsigned char ${name}_sha256[];\nconst unsigned char ${name}_sha256[] = {${hash}};\n"
    "const unsigned char ${name}[] = {${bytes}0};\nconst size_t ${name}_size = ${size};\n")
endforeach()
file(WRITE ${OUT} "${text}")
