build-san/obj/src/tool/verify_sections.o: src/tool/verify_sections.c \
 src/base/name_table.h src/base/arena.h src/tool/verify.h \
 src/tool/listing.h src/base/bytes.h src/tool/options.h \
 src/tool/subject.h src/base/file.h src/format/elf_view.h \
 src/format/elf.h src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def src/tool/verify_rules.def
src/base/name_table.h:
src/base/arena.h:
src/tool/verify.h:
src/tool/listing.h:
src/base/bytes.h:
src/tool/options.h:
src/tool/subject.h:
src/base/file.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
src/tool/verify_rules.def:
