# Installation and packages; part of the Makefile.

# The installation folders, named as the GNU conventions name them.
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
DOCDIR     ?= $(DATADIR)/doc/warpld
STRIP      ?= strip

# The version is in the header.
version := $(shell sed -n 's/.*WARPLD_VERSION  *"\(.*\)"/\1/p' include/warpld.h)
version_major := $(firstword $(subst ., ,$(version)))

# The path of a folder, relative to the folder of the CMake files.
relative = $$(realpath -m --relative-to=$(LIBDIR)/cmake/warpld $(1))
install_files = ./packaging/install-files.sh $(1) DESTDIR=$(DESTDIR) STRIP=$(STRIP) \
    BUILD=$(BUILD) VERSION=$(version) VERSION_MAJOR=$(version_major) SONAME=$(soname) \
    $(foreach name,PREFIX BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR,$(name)=$($(name))) \
    RELATIVE_BINDIR=$(call relative,$(BINDIR)) RELATIVE_INCLUDEDIR=$(call relative,$(INCLUDEDIR))

## install: install the files of packaging/installed-files (DESTDIR= PREFIX= BINDIR= LIBDIR= ...)
.PHONY: install
install: all
	@$(call install_files,install)

## install-strip: install without debugging information
.PHONY: install-strip
install-strip: all
	@$(call install_files,install-strip)

## uninstall: remove what install puts there, with the same variables
.PHONY: uninstall
uninstall:
	@$(call install_files,uninstall)

# ------------------------------------------------------------------------------------------------
# Packages

## wheel: a package for Python, with the programs and libraries, in build/wheel
portable_files := $(addprefix $(portable)/,warpld warpld-ptx-helper cubintool libwarpld.so \
    $(nvjitlink_majors:%=libnvJitLink.so.%) warpld.cdx.json)
.PHONY: wheel
wheel: $(portable_files)
	@$(PYTHON) tools/make-wheel.py --strip=$(STRIP) $(portable) $(BUILD)/wheel

## portable-wheel: a wheel for an older C library (GLIBC=2.28 MACHINE=aarch64; needs the network)
GLIBC ?= 2.28
MACHINE ?= $(shell uname -m)
.PHONY: portable-wheel
portable-wheel:
	@$(install_packages) build test $(filter-out $(shell uname -m),$(MACHINE))
	@PYTHON=$(PYTHON) ./tools/make-portable-wheel.sh $(BUILD) $(GLIBC) $(MACHINE)

## static-musl: warpld and cubintool as one file each, for any Linux (needs the network)
.PHONY: static-musl
static-musl:
	@$(install_packages) build musl
	@./tools/make-static-musl.sh $(BUILD)

# Programs that call make in other folders run without the job server and variables of this make.
without_outer_make := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL

## deb: Debian packages, in build/deb (needs debhelper)
deb_sources := Makefile CHANGELOG.md LICENSE README.md docs examples include packaging src tools
deb_folder  := $(BUILD)/deb/warpld-$(version)
deb_date    := date --rfc-2822 --utc $(if $(SOURCE_DATE_EPOCH),--date=@$(SOURCE_DATE_EPOCH))
.PHONY: deb
deb:
	@$(install_packages) build deb
	@rm -rf $(BUILD)/deb && mkdir -p $(deb_folder)
	@tar -c $(deb_sources) | tar -x -C $(deb_folder) && mv $(deb_folder)/packaging/debian $(deb_folder)
	@sed -e 's|@VERSION@|$(version)|' -e "s|@DATE@|$$($(deb_date))|" \
	    $(deb_folder)/debian/changelog.in > $(deb_folder)/debian/changelog
	@rm $(deb_folder)/debian/changelog.in
	@cd $(deb_folder) && $(without_outer_make) dpkg-buildpackage -b -us -uc $(DEB_FLAGS) \
	    > ../build.log 2>&1 || { tail -n 40 ../build.log; false; }
	@ls $(BUILD)/deb/*.deb

## release: all files of a release, from a clean clone (REHEARSE=1 CHECK=1; network, root)
.PHONY: release
release:
	@$(install_packages) build test musl deb aarch64
	@$(PYTHON) tools/make-release.py $(if $(REHEARSE),--rehearse) $(if $(CHECK),--check) $(BUILD)

## check-packages: check packages in clean systems and build twice (needs root and the network)
.PHONY: check-packages
check-packages: all deb wheel
	@$(install_packages) packages
	@$(without_outer_make) $(PYTHON) tests/packages/check_packages.py --build $(BUILD) $(CHECKS)

## check-toolchains: build and test with gcc 12 to 14, clang 14 to 19 (root, network; COMPILERS=)
.PHONY: check-toolchains
check-toolchains:
	@$(install_packages) packages
	@$(without_outer_make) $(PYTHON) tests/packages/check_toolchains.py --build $(BUILD) $(COMPILERS)

## record-interface: record the binary interface of a release; later releases are compared with it
.PHONY: record-interface
record-interface:
	@$(install_packages) build test
	$(PYTHON) tools/recorded-interface.py record
