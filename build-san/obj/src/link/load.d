build-san/obj/src/link/load.o: src/link/load.c src/format/note.h \
 src/base/bytes.h src/link/choose_images.h src/base/arena.h \
 src/link/inputs.h src/base/diagnostic.h src/base/diagnostics.def \
 src/base/file.h src/format/elf_view.h src/format/elf.h \
 src/format/section_type.h src/format/section_type.def \
 src/format/elf_rules.def src/format/host_object.h include/warpld.h \
 src/link/link.h src/base/name_table.h src/format/architecture.h \
 src/format/info_record.h src/format/info_attribute.def \
 src/format/relocation.h src/link/callgraph.h src/link/kernel_set.h \
 src/link/output.h src/link/section_shape.def src/link/unified.h \
 src/format/unified_index.h
src/format/note.h:
src/base/bytes.h:
src/link/choose_images.h:
src/base/arena.h:
src/link/inputs.h:
src/base/diagnostic.h:
src/base/diagnostics.def:
src/base/file.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
src/format/host_object.h:
include/warpld.h:
src/link/link.h:
src/base/name_table.h:
src/format/architecture.h:
src/format/info_record.h:
src/format/info_attribute.def:
src/format/relocation.h:
src/link/callgraph.h:
src/link/kernel_set.h:
src/link/output.h:
src/link/section_shape.def:
src/link/unified.h:
src/format/unified_index.h:
