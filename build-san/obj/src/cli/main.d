build-san/obj/src/cli/main.o: src/cli/main.c src/base/file.h \
 src/base/arena.h src/base/bytes.h src/cli/call_graph.h include/warpld.h \
 src/cli/host_script.h src/cli/options.h src/cli/options_file.h \
 src/cli/options.def src/cli/keywords.h src/cli/messages.h \
 src/cli/ptxas.h src/cli/record.h src/cli/register_file.h \
 src/cli/save_inputs.h src/cli/time_file.h
src/base/file.h:
src/base/arena.h:
src/base/bytes.h:
src/cli/call_graph.h:
include/warpld.h:
src/cli/host_script.h:
src/cli/options.h:
src/cli/options_file.h:
src/cli/options.def:
src/cli/keywords.h:
src/cli/messages.h:
src/cli/ptxas.h:
src/cli/record.h:
src/cli/register_file.h:
src/cli/save_inputs.h:
src/cli/time_file.h:
