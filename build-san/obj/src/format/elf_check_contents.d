build-san/obj/src/format/elf_check_contents.o: \
 src/format/elf_check_contents.c src/format/elf_check.h \
 src/format/elf_view.h src/base/arena.h src/base/bytes.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def src/format/info_record.h \
 src/format/info_attribute.def src/format/note.h
src/format/elf_check.h:
src/format/elf_view.h:
src/base/arena.h:
src/base/bytes.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
src/format/info_record.h:
src/format/info_attribute.def:
src/format/note.h:
