build-san/obj/src/tool/decode_info.o: src/tool/decode_info.c \
 src/format/info_record.h src/base/bytes.h src/format/info_attribute.def \
 src/tool/decode.h src/tool/listing.h src/base/arena.h src/tool/subject.h \
 src/base/file.h src/format/elf_view.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def
src/format/info_record.h:
src/base/bytes.h:
src/format/info_attribute.def:
src/tool/decode.h:
src/tool/listing.h:
src/base/arena.h:
src/tool/subject.h:
src/base/file.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
