build-san/obj/src/format/elf_check_symbols.o: \
 src/format/elf_check_symbols.c src/format/elf_check.h \
 src/format/elf_view.h src/base/arena.h src/base/bytes.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def
src/format/elf_check.h:
src/format/elf_view.h:
src/base/arena.h:
src/base/bytes.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
