# Files that the program carries, so that it has them wherever it is installed.

# embed_files(<out> NAME|NAME_WE <file>...): the entries {"name", "text"}, of a table in C++, by name.
function(embed_files out name_part)
  list(SORT ARGN)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(entries "")
  foreach(path IN LISTS ARGN)
    get_filename_component(name ${path} ${name_part})
    file(READ ${path} text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set(${out} "${entries}" PARENT_SCOPE)
endfunction()
