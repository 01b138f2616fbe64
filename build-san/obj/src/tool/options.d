build-san/obj/src/tool/options.o: src/tool/options.c src/tool/options.h \
 src/tool/diff.h src/tool/decode.h src/tool/listing.h src/base/arena.h \
 src/base/bytes.h src/tool/subject.h src/base/file.h \
 src/format/elf_view.h src/format/elf.h src/format/section_type.h \
 src/format/section_type.def src/format/elf_rules.def src/tool/dump.h \
 src/tool/resources.h src/tool/uidx.h src/tool/verify.h \
 src/tool/verify_rules.def src/tool/commands.def src/tool/options.def
src/tool/options.h:
src/tool/diff.h:
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
src/tool/dump.h:
src/tool/resources.h:
src/tool/uidx.h:
src/tool/verify.h:
src/tool/verify_rules.def:
src/tool/commands.def:
src/tool/options.def:
