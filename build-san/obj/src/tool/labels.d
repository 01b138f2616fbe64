build-san/obj/src/tool/labels.o: src/tool/labels.c src/base/demangle.h \
 src/base/arena.h src/base/name_table.h src/tool/subject.h \
 src/base/file.h src/base/bytes.h src/format/elf_view.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def
src/base/demangle.h:
src/base/arena.h:
src/base/name_table.h:
src/tool/subject.h:
src/base/file.h:
src/base/bytes.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
