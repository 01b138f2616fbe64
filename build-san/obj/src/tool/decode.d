build-san/obj/src/tool/decode.o: src/tool/decode.c src/tool/decode.h \
 src/tool/listing.h src/base/arena.h src/base/bytes.h src/tool/subject.h \
 src/base/file.h src/format/elf_view.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def src/format/relocation.h
src/tool/decode.h:
src/tool/listing.h:
src/base/arena.h:
src/base/bytes.h:
src/tool/subject.h:
src/base/file.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
src/format/relocation.h:
