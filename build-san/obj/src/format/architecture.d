build-san/obj/src/format/architecture.o: src/format/architecture.c \
 src/format/architecture.h src/format/architecture.def \
 src/format/architecture_runs.def
src/format/architecture.h:
src/format/architecture.def:
src/format/architecture_runs.def:
