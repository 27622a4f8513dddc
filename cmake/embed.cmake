# Files as arrays of a C source: `const unsigned char NAME[]`, with a zero behind it, and `const size_t NAME_size`.
# cmake -D OUT=FILE -D "FILES=NAME=FILE|..." -P embed.cmake
set(text "/* Made by cmake/embed.cmake. */\n#include <stddef.h>\n")
string(REPLACE "|" ";" FILES "${FILES}")
foreach(item IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.*)$" _ ${item})
  set(name ${CMAKE_MATCH_1})
  file(READ ${CMAKE_MATCH_2} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(APPEND text "extern const unsigned char ${name}[];\nextern const size_t ${name}_size;\n"
    "const unsigned char ${name}[] = {${bytes}0};\nconst size_t ${name}_size = ${size};\n")
endforeach()
file(WRITE ${OUT} "${text}")
