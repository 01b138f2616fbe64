build-san/obj/src/format/info_record.o: src/format/info_record.c \
 src/format/info_record.h src/base/bytes.h src/format/info_attribute.def
src/format/info_record.h:
src/base/bytes.h:
src/format/info_attribute.def:
