# Run by CPack on the tree that it packs: the forms that Debian wants of manual pages, changelog and licence.
set(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(doc ${root}/share/doc/drywarp)
file(REMOVE ${doc}/LICENSE)
file(WRITE ${doc}/copyright
"drywarp

Copyright: the drywarp developers
License: Apache License 2.0; on Debian systems its text is in
 /usr/share/common-licenses/Apache-2.0
")
# SOURCE_DATE_EPOCH, where it is set, is the date: `./dev package` gives that of the last commit.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog
"drywarp (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium

  * See CHANGELOG.md beside this file.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(CREATE_LINK ../../drywarp/examples ${doc}/examples SYMBOLIC)
file(GLOB pages ${root}/share/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
