build-san/obj/src/link/metadata.o: src/link/metadata.c \
 src/link/metadata.h src/link/link.h src/base/arena.h \
 src/base/diagnostic.h src/base/diagnostics.def src/base/file.h \
 src/base/bytes.h src/base/name_table.h src/format/architecture.h \
 src/format/elf_view.h src/format/elf.h src/format/section_type.h \
 src/format/section_type.def src/format/elf_rules.def \
 src/format/info_record.h src/format/info_attribute.def \
 src/format/relocation.h src/link/callgraph.h src/link/inputs.h \
 src/format/host_object.h src/link/kernel_set.h src/link/output.h \
 src/link/section_shape.def src/link/unified.h src/format/unified_index.h \
 include/warpld.h src/format/note.h src/link/compat.h
src/link/metadata.h:
src/link/link.h:
src/base/arena.h:
src/base/diagnostic.h:
src/base/diagnostics.def:
src/base/file.h:
src/base/bytes.h:
src/base/name_table.h:
src/format/architecture.h:
src/format/elf_view.h:
src/format/elf.h:
src/format/section_type.h:
src/format/section_type.def:
src/format/elf_rules.def:
src/format/info_record.h:
src/format/info_attribute.def:
src/format/relocation.h:
src/link/callgraph.h:
src/link/inputs.h:
src/format/host_object.h:
src/link/kernel_set.h:
src/link/output.h:
src/link/section_shape.def:
src/link/unified.h:
src/format/unified_index.h:
include/warpld.h:
src/format/note.h:
src/link/compat.h:
