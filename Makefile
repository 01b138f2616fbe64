# Builds warpld with GNU make. `make help` lists the targets.
#
# Sources are found by wildcard, and objects are in $(BUILD)/obj. The compiler writes the
# dependencies on headers to files. If the compiler or a flag changes, the files that depend on it
# are rebuilt.

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
AR ?= ar
PYTHON ?= /usr/bin/python3
# If the user sets CFLAGS, no flags for optimisation or protection are added to them.
has_default_flags := $(filter undefined,$(origin CFLAGS))
CFLAGS ?= -O3 -g
SANITIZE ?=

# Each kind of sanitized build has a separate folder, so that the plain build remains usable beside
# it.
comma := ,
ifeq ($(SANITIZE),)
BUILD ?= build
else
BUILD ?= build/$(subst $(comma),-,$(SANITIZE))
# fuzzer-no-link instruments the code, but does not link the fuzzer's main function, which only the
# fuzz targets need.
sanitize_flags := -fsanitize=$(SANITIZE:fuzzer$(comma)%=fuzzer-no-link$(comma)%) \
    -fno-sanitize-recover=all -fno-omit-frame-pointer -DWARPLD_CHECK_FROZEN
endif
# AFL++'s compiler instruments code without a flag. It, too, needs -fsanitize=fuzzer to link a main
# function to the fuzz targets.
fuzzer_flags := $(if $(or $(findstring fuzzer,$(SANITIZE)),$(findstring afl-,$(CC))),-fsanitize=fuzzer)

# These flags make the bytes of the outputs independent of the folders of sources and outputs.
outside := $(filter-out $(CURDIR)/%,$(filter /%,$(BUILD)))
prefix_map := -ffile-prefix-map=$(CURDIR)=. $(if $(outside),-ffile-prefix-map=$(outside)=build)

# Where pointers have 32 bits, the C library otherwise refuses files from 2 GiB on, and readdir fails
# in folders whose inode numbers or offsets need 64 bits. Elsewhere the flag would only rename calls,
# and the libraries that tests load with LD_PRELOAD would miss them.
pointer_size := $(lastword $(shell echo __SIZEOF_POINTER__ | $(CC) $(CFLAGS) -E -P -x c - 2> /dev/null))
wide_offsets := $(if $(filter 4,$(pointer_size)),-D_FILE_OFFSET_BITS=64)

# _DEFAULT_SOURCE is needed for realpath, MAP_ANONYMOUS and madvise, which plain POSIX.1-2008 lacks.
project_flags := -std=c17 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE $(wide_offsets) \
    -Iinclude -Isrc \
    -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wvla -Wwrite-strings \
    -fPIC -fvisibility=hidden -pthread $(prefix_map) $(sanitize_flags) $(CPPFLAGS)
ifneq ($(WERROR),)
project_flags += -Werror
endif
link_flags := -pthread $(sanitize_flags) $(LDFLAGS)

# Builds with the default CFLAGS protect stacks, strings, jumps and tables of addresses, as far as
# the compiler can. HARDEN=0 leaves these flags out, for example to count instructions.
accepts_flag = $(shell $(CC) -O2 -Werror $(1) -fsyntax-only -x c /dev/null 2> /dev/null && echo '$(1)')
ifeq ($(origin HARDEN),undefined)
HARDEN := $(if $(has_default_flags),$(if $(SANITIZE),0,1),0)
endif
ifeq ($(HARDEN),1)
project_flags += -D_FORTIFY_SOURCE=3 $(foreach flag,-fstack-protector-strong \
    -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard, \
    $(call accepts_flag,$(flag)))
link_flags += -Wl,-z,relro,-z,now,-z,noexecstack
endif

# If gcc can, it optimises the library as a whole (LTO), which makes a small link 5 % faster. The
# objects also contain machine code, for programs that use more than the library's interface.
takes_flags = $(shell echo 'int x;' | $(CC) $(1) -r -nostdlib -x c - -o /dev/null 2> /dev/null && \
    echo $(1))
ifeq ($(origin LTO),undefined)
can_join := $(if $(has_default_flags),$(call takes_flags,-flto=auto -flinker-output=nolto-rel))
LTO := $(if $(SANITIZE),0,$(if $(can_join),1,0))
endif
ifeq ($(LTO),1)
lto_flags  := -flto=auto -ffat-lto-objects
link_flags += -fno-lto
endif

ifeq ($(V),)
quiet = @echo "  $(1)	$(if $(2),$(2),$@)";
endif

# ------------------------------------------------------------------------------------------------
# Objects, libraries and programs

objects = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

library_objects := $(call objects,$(sort $(wildcard src/base/*.c src/format/*.c src/format/*/*.c src/link/*.c src/link/*/*.c)))
readable_name_objects := $(call objects,$(sort $(wildcard src/readable_name/*.c)))
compile_objects := $(call objects,$(sort $(wildcard src/compile/*.c)))
# These objects call dlopen, so only programs that are linked dynamically have them.
plugin_objects  := $(call objects,$(sort $(wildcard src/compile/plugin/*.c)))
helper_objects  := $(call objects,$(sort $(wildcard src/ptx_helper/*.c)))
page_source     := $(BUILD)/obj/generated/page.c
report_objects  := $(call objects,$(sort $(wildcard src/report/*.c))) $(page_source:%.c=%.o)
hostobject_objects := $(call objects,$(sort $(wildcard src/hostobject/*.c)))
cli_objects     := $(readable_name_objects) $(compile_objects) $(report_objects) $(hostobject_objects) \
    $(call objects,$(sort $(wildcard src/cli/*.c src/cli/*/*.c)))
tool_objects    := $(readable_name_objects) \
    $(call objects,src/compile/find_program.c src/compile/process.c) \
    $(call objects,$(sort $(wildcard src/tool/*.c src/tool/*/*.c)))

# Both libnvJitLinks have the same objects, except for those that depend on the release of CUDA.
nvjitlink_majors  := $(if $(wildcard src/nvjitlink/*.c),12 13)
nvjitlink_own     := exports release
nvjitlink_objects := $(call objects,$(sort $(filter-out $(nvjitlink_own:%=src/nvjitlink/%.c), \
    $(wildcard src/nvjitlink/*.c))))
nvjitlink_own_objects = $(nvjitlink_own:%=$(BUILD)/obj/src/nvjitlink/%.$(1).o)
nvjitlink_libraries := $(nvjitlink_majors:%=$(BUILD)/libnvJitLink.so.%)

# Each unit test is a program. The other files in its folder are linked into all unit tests.
unit_sources  := $(sort $(wildcard tests/unit/test_*.c))
unit_support  := $(call objects,$(filter-out $(unit_sources),$(wildcard tests/unit/*.c)))
unit_tests    := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(unit_sources))
example_programs := $(patsubst examples/%.c,$(BUILD)/examples/%,$(sort $(wildcard examples/*.c)))
fuzz_sources  := $(sort $(wildcard fuzz/fuzz_*.c))
fuzz_programs := $(patsubst fuzz/%.c,$(BUILD)/fuzz/%,$(fuzz_sources))
# In a build for a fuzzer, a fuzz target has the fuzzer's main function. In other builds it has that
# of replay.c, which runs the target on the files in its arguments.
fuzz_driver   := $(call objects,$(if $(fuzzer_flags),,$(wildcard fuzz/replay.c)))
fuzz_support  := $(call objects,$(filter-out $(fuzz_sources) fuzz/replay.c fuzz/afl_mutator.c, \
    $(wildcard fuzz/*.c)))
# A library with our mutators, which AFL++ loads.
afl_mutator   := $(BUILD)/fuzz/afl_mutator.so
# The objects that link damaged inputs and check the outputs with the rules of cubintool verify.
damage_objects := $(call objects,$(filter-out %/campaign.c,$(wildcard fuzz/damage/*.c)))
campaign      := $(BUILD)/fuzz/campaign

all_objects := $(library_objects) $(cli_objects) $(plugin_objects) $(helper_objects) $(tool_objects) $(unit_support) $(fuzz_driver) \
    $(nvjitlink_objects) $(foreach major,$(nvjitlink_majors),$(call nvjitlink_own_objects,$(major))) \
    $(fuzz_support) $(call objects,$(unit_sources) $(fuzz_sources) fuzz/afl_mutator.c $(wildcard fuzz/damage/*.c)) \
    $(call objects,$(wildcard examples/*.c gpu/*.c bench/*.c tests/nvjitlink/stress.c))

# lz4 and zstd unpack the payloads of fat binaries. libsupc++ has the demangler; it is a static
# library, from which no other part of C++ is linked.
needed_libraries := -llz4 -lzstd -lsupc++

static_library := $(BUILD)/libwarpld.a
own_library    := $(BUILD)/obj/libwarpld.a
shared_library := $(BUILD)/libwarpld.so
soname         := libwarpld.so.0
programs       := $(addprefix $(BUILD)/,warpld warpld-ptx-helper cubintool)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:

## all: the command, the tool and the libraries (the default)
.PHONY: all
all: $(static_library) $(shared_library) $(programs) $(nvjitlink_libraries) $(BUILD)/warpld.cdx.json

# ------------------------------------------------------------------------------------------------
# Rules

# Two files that are rewritten only if their contents change, and on which other rules depend. One
# has everything that decides the bytes of objects, so it does not have WERROR. The other lists the
# objects of the library, so that the library is rebuilt when a source is deleted. The list does not
# contain $(BUILD), because that may be a relative or an absolute path.
flags_stamp   := $(BUILD)/obj/flags
objects_stamp := $(BUILD)/obj/library-objects
object_names  := $(library_objects:$(BUILD)/%=%)
all_flags     := $(CC) $(filter-out -Werror,$(project_flags)) $(CFLAGS) $(lto_flags) $(link_flags)
.PHONY: force
$(flags_stamp): force
	@mkdir -p $(@D); echo '$(all_flags)' | cmp -s - $@ || echo '$(all_flags)' > $@
$(objects_stamp): force
	@mkdir -p $(@D); echo '$(object_names)' | cmp -s - $@ || echo '$(object_names)' > $@

line_folder := $(if $(lto_flags),$(call takes_flags,-Wa$(comma)--debug-prefix-map=$(CURDIR)=.))
# Two flags that make the objects' bytes reproducible: without a seed, gcc's intermediate code has
# random names, and the assembler would record the folder of the source in its line tables.
$(library_objects): object_flags = $(if $(lto_flags),$(lto_flags) -frandom-seed=$< $(line_folder))
$(BUILD)/obj/%.o: %.c $(flags_stamp)
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) $(project_flags) $(CFLAGS) $(object_flags) -MMD -MP -c $< -o $@

# The page of reports becomes an array of numbers. Addresses of strings would be relocated at each
# start of the command.
$(page_source): src/report/page.html
	@mkdir -p $(@D)
	$(call quiet,MAKE)(echo '#include "report/page.h"'; \
	    echo 'static const unsigned char TEXT[] = {'; od -An -v -tu1 $< | sed 's/[0-9]\+/&,/g'; \
	    echo '0}; const char *page_text(void) { return (const char *)TEXT; }') > $@
$(page_source:%.c=%.o): $(page_source) $(flags_stamp)
	$(call quiet,CC)$(CC) $(project_flags) $(CFLAGS) -c $< -o $@

# The library for our own programs, which also use functions outside its interface.
$(own_library): $(library_objects) $(objects_stamp)
	$(call quiet,AR)rm -f $@ && $(AR) rcs $@ $(library_objects)

# One object whose only global names are those of the interface. So a program may define functions
# with the names of ours, such as `gc` or `merge`, without replacing them.
OBJCOPY ?= objcopy
joined_flag = $(call takes_flags,-flinker-output=nolto-rel)
# The linker first makes machine code of -flto's intermediate code, which objcopy cannot read.
$(BUILD)/obj/warpld.o: $(library_objects) $(objects_stamp)
	$(call quiet,LINK)$(CC) $(CFLAGS) $(prefix_map) $(lto_flags) $(joined_flag) -r -nostdlib \
	    $(library_objects) -o $@ && \
	    $(OBJCOPY) --wildcard --keep-global-symbol='!warpld_*.*' --keep-global-symbol='warpld_*' $@
$(static_library): $(BUILD)/obj/warpld.o
	$(call quiet,AR)rm -f $@ && $(AR) rcs $@ $<

# The programs and libraries of the wheel contain all libraries that they need except the C library.
portable := $(BUILD)/portable
$(portable)/%: needed_libraries := -l:liblz4.a -l:libzstd.a -l:libsupc++.a
$(portable)/%: json_library := -l:libjansson.a
json_library := -ljansson

version_script := $(wildcard src/link/libwarpld.map)
$(shared_library) $(portable)/libwarpld.so: $(BUILD)/obj/warpld.o $(version_script)
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(link_flags) -shared -Wl,-soname,$(soname) \
	    $(if $(version_script),-Wl$(comma)--version-script=$(version_script)) \
	    $(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs) $< $(needed_libraries) -o $@
	@ln -sf $(@F) $(@D)/$(soname)

# libnvJitLink, NVIDIA's interface to our library, for each major release; see docs/nvjitlink.md.
define nvjitlink_rules
$$(BUILD)/obj/%.$(1).o: %.c $$(flags_stamp)
	@mkdir -p $$(@D)
	$$(call quiet,CC,$$< for $(1))$$(CC) $$(project_flags) -DNVJITLINK_MAJOR=$(1) $$(CFLAGS) -MMD -MP \
	    -c $$< -o $$@
$$(BUILD)/libnvJitLink.so.$(1) $$(portable)/libnvJitLink.so.$(1): \
    $$(call nvjitlink_own_objects,$(1)) $$(nvjitlink_objects) \
    $$(compile_objects) $$(plugin_objects) $$(BUILD)/obj/warpld.o $$(own_library) \
    src/nvjitlink/libnvJitLink.so.$(1).map
	@mkdir -p $$(@D)
	$$(call quiet,LINK)$$(CC) $$(link_flags) -shared -Wl,-soname,libnvJitLink.so.$(1) \
	    -Wl,--version-script=src/nvjitlink/libnvJitLink.so.$(1).map \
	    $$(if $$(SANITIZE),,-Wl,-z,defs) $$(filter %.o %.a,$$^) $$(needed_libraries) -ldl -o $$@
endef
$(foreach major,$(nvjitlink_majors),$(eval $(call nvjitlink_rules,$(major))))

# The command is linked statically if the machine has static libraries. Otherwise the dynamic linker
# would take half of the time of a small link: 0.3 of the 0.6 ms that the link takes longer than an
# empty program. STATIC=0 links the command dynamically, which sanitizers need.
STATIC ?= $(if $(SANITIZE),0,$(shell echo 'int main(void) { return 0; }' | \
    $(CC) -static-pie -x c - $(needed_libraries) -ljansson -o /dev/null 2> /dev/null && echo 1 || echo 0))
# Packed relocations of the addresses in tables halve the time for relocations at the start of the
# program. The GNU C Library has supported them since 2.36.
packed_flag := $(shell printf '\043include <features.h>\n\043if !__GLIBC_PREREQ(2, 36)\n\043error\n\043endif\n' | \
    $(CC) -E -x c - > /dev/null 2>&1 && echo -Wl,-z,pack-relative-relocs)
# tools/make-static-musl.sh uses STATIC=musl. The program has a fixed address and needs no
# relocations.
static_flag = $(if $(filter 1,$(STATIC)),-static-pie $(packed_flag))$(if $(filter musl,$(STATIC)),-static)

link_program = $(call quiet,LINK)$(CC) $(link_flags) $(filter %.o,$^) $(filter %.a,$^) \
    $(needed_libraries)

$(BUILD)/warpld $(portable)/warpld: $(cli_objects) $(own_library)
	@mkdir -p $(@D)
	$(link_program) $(json_library) $(static_flag) -o $@

$(BUILD)/warpld-ptx-helper $(portable)/warpld-ptx-helper: $(helper_objects) $(plugin_objects) \
    $(call objects,src/compile/own_library.c) $(own_library)
	@mkdir -p $(@D)
	$(link_program) -ldl -o $@

$(BUILD)/cubintool $(portable)/cubintool: $(tool_objects) $(own_library)
	@mkdir -p $(@D)
	$(link_program) $(json_library) $(if $(filter $(portable)/%,$@),$(static_flag)) -o $@

# The third-party components whose code is in the programs. Build scripts add some with COMPONENTS=.
static_components := $(if $(filter 1,$(STATIC)),bundled glibc) $(filter musl,$(STATIC))
$(portable)/warpld.cdx.json: static_components += bundled
$(BUILD)/warpld.cdx.json $(portable)/warpld.cdx.json: packaging/components tools/make-sbom.sh \
    include/warpld.h $(flags_stamp)
	@mkdir -p $(@D)
	$(call quiet,MAKE)./tools/make-sbom.sh '$(CC) $(CPPFLAGS)' all $(static_components) $(COMPONENTS) > $@

$(BUILD)/tests/unit/test_readable_name: $(readable_name_objects)
$(BUILD)/tests/unit/test_scope: $(call objects,src/tool/size/scope.c)
$(BUILD)/tests/unit/test_pass_order: $(call objects,$(wildcard src/cli/options/*.c))
$(BUILD)/tests/unit/test_process $(BUILD)/tests/unit/test_ptx_threads: $(compile_objects)
$(BUILD)/tests/unit/test_mutators: $(fuzz_support)
$(unit_tests): $(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(unit_support) $(own_library)
	@mkdir -p $(@D)
	$(link_program) -lcmocka -o $@

# This program loads the library that its argument names, so that it can also test NVIDIA's.
nvjitlink_stress := $(BUILD)/tests/nvjitlink/stress
$(nvjitlink_stress): $(BUILD)/obj/tests/nvjitlink/stress.o
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(link_flags) $< -ldl -o $@

# The command is linked dynamically, so that a library in LD_PRELOAD can make its system calls fail.
torture := $(addprefix $(BUILD)/tests/torture/,warpld faults.so)
$(BUILD)/tests/torture/warpld: $(cli_objects) $(own_library)
	@mkdir -p $(@D)
	$(link_program) $(json_library) -o $@
$(BUILD)/tests/torture/faults.so: tests/torture/faults.c tests/torture/calls.def
	@mkdir -p $(@D)
	$(call quiet,CC,$<)$(CC) -std=c17 -Wall -Wextra -Wpedantic -O1 -g -fPIC -shared -pthread $< -ldl -o $@

$(example_programs): $(BUILD)/examples/%: $(BUILD)/obj/examples/%.o $(static_library)
	@mkdir -p $(@D)
	$(link_program) -o $@

$(BUILD)/fuzz/fuzz_names: $(readable_name_objects) \
    $(call objects,src/compile/ptxas_options.c src/compile/process.c)
$(BUILD)/fuzz/fuzz_link $(BUILD)/fuzz/fuzz_link_ways $(campaign): $(damage_objects)
$(BUILD)/fuzz/fuzz_link $(BUILD)/fuzz/fuzz_link_ways $(BUILD)/fuzz/fuzz_cubintool $(campaign): \
    $(filter-out %/cubintool.o,$(tool_objects))
$(BUILD)/fuzz/fuzz_link $(BUILD)/fuzz/fuzz_link_ways $(BUILD)/fuzz/fuzz_cubintool $(campaign): fuzz_libraries := -ljansson
$(campaign): $(BUILD)/obj/fuzz/damage/campaign.o $(fuzz_support) $(own_library)
	@mkdir -p $(@D)
	$(link_program) $(fuzz_libraries) -o $@
$(afl_mutator): $(call objects,fuzz/afl_mutator.c) $(fuzz_support) $(own_library)
	@mkdir -p $(@D)
	$(link_program) -shared -Wl,-Bsymbolic -Wl,--exclude-libs,ALL -o $@
$(fuzz_programs): $(BUILD)/fuzz/%: $(BUILD)/obj/fuzz/%.o $(fuzz_driver) $(fuzz_support) \
    $(own_library)
	@mkdir -p $(@D)
	$(link_program) $(fuzz_libraries) $(fuzzer_flags) -o $@

# These programs measure the linkers, and are not linked with warpld's library.
$(BUILD)/bench/measure $(BUILD)/bench/empty: $(BUILD)/bench/%: $(BUILD)/obj/bench/%.o
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(link_flags) $< -o $@

$(BUILD)/bench/nvjitlink_links: $(BUILD)/obj/bench/nvjitlink_links.o $(BUILD)/obj/bench/timing.o
	@mkdir -p $(@D)
	$(call quiet,LINK)$(CC) $(link_flags) $^ -ldl -o $@

$(BUILD)/bench/library_links: $(BUILD)/obj/bench/library_links.o $(BUILD)/obj/bench/timing.o \
    $(static_library)
	@mkdir -p $(@D)
	$(link_program) -ldl -o $@

$(BUILD)/bench/ptx_compile: $(BUILD)/obj/bench/ptx_compile.o $(BUILD)/obj/bench/timing.o \
    $(compile_objects) $(plugin_objects) \
    $(own_library)
	@mkdir -p $(@D)
	$(link_program) -ldl -o $@

# The program opens the driver at run time, so that it can be built on machines without one.
$(BUILD)/gpu-check: $(call objects,$(wildcard gpu/*.c)) $(static_library)
	$(link_program) -ldl -o $@

.PHONY: unit-tests example-programs fuzz-programs torture-programs afl-mutator
afl-mutator: $(afl_mutator)
torture-programs: $(torture)
unit-tests: $(unit_tests) $(nvjitlink_stress)
example-programs: $(example_programs)
fuzz-programs: $(fuzz_programs) $(campaign)

# ------------------------------------------------------------------------------------------------
# Tests and measurements

# Targets beyond the plain build first install the packages that they need, if these are missing.
install_packages := ./tools/install-packages.sh

## demo: install what is missing, build, link the example and show the results
.PHONY: demo
demo:
	@$(install_packages) build
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j"$$(nproc)") all
	@./examples/demo/run.sh $(BUILD)

## check: install what is missing, build and run all tests
.PHONY: check
check:
	@$(install_packages) build test
	@$(PYTHON) tools/check.py

## compare: compare with nvlink over random programs (SEED= N= ARCH= PROFILE=base|debug)
SEED ?= 1
N ?= 200
.PHONY: compare
compare: all
	$(PYTHON) tests/compare/compare.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH)) \
	    $(if $(PROFILE),--profile $(PROFILE))

## compare-containers: compare programs in fat binaries, host objects, archives (SEED= N= ARCH=)
.PHONY: compare-containers
compare-containers: all
	$(PYTHON) tests/compare/containers.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-device-links: compare device links for two targets with single links (SEED= N= ARCH=)
.PHONY: compare-device-links
compare-device-links: all
	$(PYTHON) tests/compare/device_links.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-cached-links: compare links with a cache folder and without (SEED= N= ARCH=)
.PHONY: compare-cached-links
compare-cached-links: all
	@$(MAKE) BUILD=$(BUILD)/small-scale "CFLAGS=-O1 -g -DWARPLD_SMALL_SCALE" \
	    $(BUILD)/small-scale/warpld
	$(PYTHON) tests/compare/cached_links.py --ours $(BUILD)/small-scale/warpld \
	    --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-registrations: compare what programs register after links of nvcc and warpld (SEED= N=)
.PHONY: compare-registrations
compare-registrations: all
	$(PYTHON) tests/compare/registrations.py --seed $(SEED) --count $(N)

## compare-cpp: compare with nvlink over random CUDA C++ programs (SEED= N= ARCH=)
.PHONY: compare-cpp
compare-cpp: all
	$(PYTHON) tests/compare/cpp.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-csmith: compare over random C programs that clang compiled (SEED= N= ARCH= CLANG=)
.PHONY: compare-csmith
compare-csmith: all
	$(PYTHON) tests/compare/csmith.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH)) \
	    $(if $(CLANG),--clang $(CLANG))

## compare-diagnostics: compare messages for wrong programs and command lines (SEED= N= FOLDER=)
.PHONY: compare-diagnostics
compare-diagnostics: all
	$(PYTHON) tests/compare/diagnostics.py --seed $(SEED) --count $(N) $(FOLDER)

## compare-older: compare over objects of CUDA 12 (CUDA12=folder SEED= N= ARCH= REFERENCE=nvlink)
.PHONY: compare-older
compare-older: all
	$(PYTHON) tests/compare/older.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH)) \
	    $(if $(CUDA12),--cuda12 $(CUDA12)) $(if $(REFERENCE),--reference $(REFERENCE))

OLD_ARCHES = sm_50,sm_60,sm_61,sm_70,sm_72
## compare-old: compare for targets that only CUDA 12 has (CUDA12=folder SEED= N= ARCH=)
.PHONY: compare-old
compare-old: all
	$(PYTHON) tests/compare/older.py --seed $(SEED) --count $(N) --min-identical 98 \
	    --arch $(or $(ARCH),$(OLD_ARCHES)) $(if $(CUDA12),--cuda12 $(CUDA12))

## compare-newer: compare over objects of a later CUDA 13 (CUDA13=folder SEED= N= ARCH=)
.PHONY: compare-newer
compare-newer: all
	$(PYTHON) tests/compare/newer.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH)) \
	    $(if $(CUDA13),--cuda13 $(CUDA13))

## compare-lto: compare whole and partial link-time optimisation of C++ programs (SEED= N= ARCH=)
.PHONY: compare-lto
compare-lto: all
	$(PYTHON) tests/compare/link_time.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-names: compare over programs whose files define the same names (SEED= N= ARCH=)
.PHONY: compare-names
compare-names: all
	$(PYTHON) tests/compare/names.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-patched: compare over objects that no compiler writes (SEED= ARCH= EXPERIMENTS=)
.PHONY: compare-patched
compare-patched: all
	$(PYTHON) tests/compare/patch.py --seed $(SEED) $(if $(ARCH),--arch $(ARCH)) $(EXPERIMENTS)

## compare-nvjitlink: compare our libnvJitLink.so.13 with NVIDIA's, with a C client (SEED= N= ARCH=)
.PHONY: compare-nvjitlink
compare-nvjitlink: all
	$(PYTHON) tests/compare/jit.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-unified: compare over programs with unified tables and index files (SEED= N= ARCH=)
.PHONY: compare-unified
compare-unified: all
	$(PYTHON) tests/compare/unified.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-constants: compare links with and without the options about constants (SEED= N= ARCH=)
.PHONY: compare-constants
compare-constants: all
	$(PYTHON) tests/compare/constants.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-relink: compare links in steps (-r) with direct links (SEED= N= ARCH=)
.PHONY: compare-relink
compare-relink: all
	$(PYTHON) tests/compare/relink.py --seed $(SEED) --count $(N) $(if $(ARCH),--arch $(ARCH))

## compare-inspect: compare cubintool with NVIDIA's readers, and its diff with known changes (N=)
.PHONY: compare-inspect
compare-inspect: all
	$(PYTHON) tests/compare/inspect_readers.py -n $(N)
	$(PYTHON) tests/compare/diff_pairs.py
	$(PYTHON) tests/compare/occupancy.py

# mkdocs checks the links: one to a page or a heading that does not exist is an error.
## site: build the documentation as a site in build/site (needs Python's package registry)
MKDOCS := mkdocs-material==9.8.2
.PHONY: site
site:
	@test -x $(BUILD)/site-tools/bin/mkdocs || ($(PYTHON) -m venv $(BUILD)/site-tools && \
	    $(BUILD)/site-tools/bin/pip install --quiet '$(MKDOCS)')
	@NO_MKDOCS_2_WARNING=1 $(BUILD)/site-tools/bin/mkdocs build --quiet -f packaging/site/mkdocs.yml \
	    --site-dir $(abspath $(BUILD))/site
	@echo "open $(BUILD)/site/index.html"

## check-hosts: run tests with programs of 32-bit, AArch64 and big-endian hosts, under qemu
.PHONY: check-hosts
check-hosts:
	@$(install_packages) build test hosts
	@$(PYTHON) tools/check-hosts.py --build $(BUILD) $(HOSTS)

## check-overlay: build many programs with nvcc, CMake, make and clang through the overlay (slow)
LINKS ?= 200
.PHONY: check-overlay
check-overlay: all
	WARPLD_OVERLAY_ALL=1 $(PYTHON) -m pytest -q -p no:cacheprovider tests/overlay
	$(PYTHON) tests/random_links.py --seed $(SEED) -n $(LINKS)

## check-sarif: validate JSON and SARIF messages, and open the logs in a reader (needs the network)
.PHONY: check-sarif
check-sarif: all
	$(PYTHON) tests/sarif/check_sarif.py --build $(BUILD)

## check-clients: run clients from the Python registry with our libnvJitLink (needs the network)
CLIENT_CACHE ?= $(BUILD)/clients
.PHONY: check-clients
check-clients: all
	$(PYTHON) tests/clients/check_clients.py --build $(BUILD) --cache $(CLIENT_CACHE) $(CLIENTS)

## bench: time warpld and nvlink side by side, write docs/performance.md and plots (SHAPES= RUNS=)
.PHONY: bench
bench: all $(addprefix $(BUILD)/bench/,measure empty library_links nvjitlink_links ptx_compile) \
    $(nvjitlink_stress)
	$(PYTHON) bench/bench.py --build $(BUILD) $(if $(SHAPES),--shapes $(SHAPES)) \
	    $(if $(RUNS),--runs $(RUNS))
	$(if $(SHAPES),,$(PYTHON) bench/plot.py)
	$(if $(SHAPES),,$(MAKE) HARDEN=0 BUILD=$(BUILD)/unhardened all $(BUILD)/unhardened/bench/library_links)
	$(if $(SHAPES),,$(PYTHON) bench/instructions.py --build $(BUILD)/unhardened)

## damage: link DAMAGE_LINKS (1000000) damaged inputs, and count the rules that the outputs break
DAMAGE_LINKS ?= 1000000
DAMAGE_SEED ?= 1
.PHONY: damage
damage: $(campaign)
	$(campaign) --links $(DAMAGE_LINKS) --seed $(DAMAGE_SEED) tests/golden/*/ 2>/dev/null

## damage-sweep: damage each field of headers and tables in turn (SWEEP=0/16: one of 16 parts)
SWEEP ?= 0/1
.PHONY: damage-sweep
damage-sweep: $(campaign)
	$(campaign) --sweep $(SWEEP) tests/golden/*/

## torture: let each system call of the command fail, and check which files remain
.PHONY: torture
torture: $(torture)
	$(PYTHON) tests/torture_links.py --build $(BUILD)

## check-valgrind: run the golden links under valgrind (STEP=4 runs a quarter of them)
STEP ?= 1
.PHONY: check-valgrind
check-valgrind: $(BUILD)/tests/torture/warpld
	@$(install_packages) valgrind
	$(PYTHON) tests/memory_links.py --build $(BUILD) --step $(STEP)

# The fuzz target of cubintool is left out, because it uses Jansson, which is built without
# MemorySanitizer.
## check-msan: replay the fuzz corpora and run the golden links with MemorySanitizer (STEP=4)
MSAN_BUILD := $(BUILD)/memory
MSAN_TARGETS := $(filter-out %/fuzz_cubintool,$(fuzz_programs:$(BUILD)/%=$(MSAN_BUILD)/%))
.PHONY: check-msan
check-msan:
	@$(install_packages) build test fuzz
	@$(MAKE) --no-print-directory CC=clang SANITIZE=memory BUILD=$(MSAN_BUILD) \
	    $(MSAN_BUILD)/warpld $(MSAN_TARGETS)
	@for target in $(MSAN_TARGETS); do \
	    "$$target" "fuzz/corpus/$${target##*/fuzz_}" || exit 1; done
	$(PYTHON) tests/memory_links.py --checker msan --build $(MSAN_BUILD) --step $(STEP)

## analyze: run the static analyzers of clang and of gcc over src (FILES= for some files)
.PHONY: analyze
analyze:
	@$(install_packages) build fuzz
	@./tools/analyze.sh $(FILES)

## coverage: print how much of src the tests run (SUITES= runs some, LINES=1 lists missed lines)
.PHONY: coverage
coverage:
	@$(MAKE) --no-print-directory BUILD=$(BUILD)/coverage CFLAGS='-O0 -g --coverage' LTO=0 STATIC=0 \
	    LDFLAGS=--coverage prefix_map= \
	    all unit-tests fuzz-programs
	$(PYTHON) tools/coverage.py $(if $(LINES),--lines) $(BUILD)/coverage $(SUITES)

## fuzz: run each fuzz target for FUZZ_SECONDS (60) under ASan and UBSan (FUZZER=libfuzzer|afl)
FUZZ_SECONDS ?= 60
FUZZER ?= libfuzzer
.PHONY: fuzz
fuzz:
	@$(install_packages) build fuzz $(filter afl,$(FUZZER))
	@./tools/run-fuzzers.sh $(FUZZER) $(FUZZ_SECONDS)

## fuzz-nightly: run both fuzzers for NIGHT_SECONDS (28800) in total, then minimise the corpora
NIGHT_SECONDS ?= 28800
.PHONY: fuzz-nightly
fuzz-nightly:
	@$(install_packages) build fuzz afl
	@./tools/run-fuzzers.sh nightly $(NIGHT_SECONDS)

## gpu-check: link kernels, run them on this machine's GPU and check what they compute
.PHONY: gpu-check
gpu-check: $(BUILD)/gpu-check
	$(BUILD)/gpu-check gpu/data

## lint: formatting, clang-tidy, cppcheck, types of Python, spelling and vocabulary
c_sources := $(sort $(wildcard include/*.h src/*/*.[ch] src/*/*/*.[ch] tests/unit/*.[ch] examples/*.[ch] \
    examples/*/*.[ch] fuzz/*.[ch] fuzz/*/*.[ch] gpu/*.[ch] bench/*.[ch]))
.PHONY: lint lint-format lint-tidy lint-cppcheck lint-python lint-language
lint:
	@$(install_packages) build test lint
	@$(MAKE) --no-print-directory -k lint-format lint-tidy lint-cppcheck lint-python \
	    lint-language

lint-format:
	@echo clang-format
	@clang-format --dry-run -Werror $(c_sources)

# One process for each file, on all cores.
lint-tidy:
	@mkdir -p $(BUILD)
	@echo clang-tidy
	@printf '%s\n' $(filter %.c,$(c_sources)) | xargs -P "$$(nproc)" -I '{}' \
	    clang-tidy --quiet '{}' -- $(filter-out -Werror,$(project_flags)) 2>$(BUILD)/clang-tidy.log \
	    || { grep -v 'warnings generated' $(BUILD)/clang-tidy.log; false; }

lint-cppcheck:
	@echo cppcheck
	@cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j "$$(nproc)" \
	    --enable=warning,performance,portability --suppress=missingIncludeSystem \
	    -Iinclude -Isrc $(filter src/%.c,$(c_sources))

lint-python:
	@echo black and mypy
	@git ls-files '*.py' | xargs black --quiet --check --line-length 100
	@$(PYTHON) tools/check-types.py

# codespell-words.txt has nvlink's own spellings, which must not change, and parts of mangled names.
lint-language:
	@echo codespell and vocabulary
	@git ls-files -- ':!tests/golden' ':!fuzz/corpus' ':!*.ptx' ':!*.cubin' ':!LICENSE' ':!packaging/third-party' | \
	    xargs codespell --ignore-words=tools/codespell-words.txt
	@$(PYTHON) tools/vocabulary.py

# ------------------------------------------------------------------------------------------------
# Installation

include packaging/packaging.mk

## manuals: rewrite the manual pages from the programs' --help and from comments
.PHONY: manuals
manuals: all
	$(PYTHON) tools/make-manuals.py $(BUILD)
	$(PYTHON) tools/make-comment-manuals.py

## completions: rewrite the completion of shells from the option tables
.PHONY: completions
completions:
	$(PYTHON) tools/make-completions.py

## ptx-plugin: make a PTX compiler plug-in from NVIDIA's static library (NVPTXCOMPILER=folder)
.PHONY: ptx-plugin
ptx-plugin:
	CC='$(CC)' ./tools/make-ptx-plugin.sh '$(NVPTXCOMPILER)' $(BUILD)/libwarpld-nvptxcompiler.so

## clean: remove everything that was built
.PHONY: clean
clean:
	rm -rf $(BUILD)

## help: print this list
.PHONY: help
help:
	@sed -n 's/^## \([a-z-]*\): \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20
	@echo
	@echo '  Variables: BUILD=folder CC=gcc|clang CFLAGS= OBJCOPY= V=1 (show commands) WERROR=1 STATIC=0 LTO=0'
	@echo '             SANITIZE=address,undefined | thread (builds into build/<kind>)'

-include $(all_objects:.o=.d)
