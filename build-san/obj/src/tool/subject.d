build-san/obj/src/tool/subject.o: src/tool/subject.c src/tool/subject.h \
 src/base/arena.h src/base/file.h src/base/bytes.h src/format/elf_view.h \
 src/format/elf.h src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def
src/tool/subject.h:
src/base/arena.h:
src/base/file.h:
src/base/bytes.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
