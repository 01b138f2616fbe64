build-san/obj/src/cli/call_graph.o: src/cli/call_graph.c \
 src/cli/call_graph.h src/base/arena.h include/warpld.h src/base/file.h \
 src/base/bytes.h src/cli/readable_name.h
src/cli/call_graph.h:
src/base/arena.h:
include/warpld.h:
src/base/file.h:
src/base/bytes.h:
src/cli/readable_name.h:
