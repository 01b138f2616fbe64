/* Constants of the device ELF.
 *
 * Standard ELF follows the System V ABI. CUDA's extensions were observed in objects of
 * ptxas 13.0.88 and in the outputs of nvlink 13.0.88 (docs/format has the evidence). */
#ifndef WARPLD_FORMAT_ELF_H
#define WARPLD_FORMAT_ELF_H

enum {
    ELF_HEADER_SIZE = 64,
    ELF_SECTION_HEADER_SIZE = 64,
    ELF_PROGRAM_HEADER_SIZE = 56,
    ELF_SYMBOL_SIZE = 24,
    ELF_REL_SIZE = 16,
    ELF_RELA_SIZE = 24,
    ELF_PAIR_SIZE = 8,           /* an entry of .nv.callgraph or .nv.prototype */
    ELF_UNIFIED_ENTRY_SIZE = 32, /* an entry of .nv.uft.entry or .nv.udt.entry */
};

/* Offsets in the header of a 64-bit file. */
enum {
    E_TYPE = 16,
    E_MACHINE = 18,
    E_VERSION = 20,
    E_PHOFF = 32,
    E_SHOFF = 40,
    E_FLAGS = 48,
    E_EHSIZE = 52,
    E_PHENTSIZE = 54,
    E_PHNUM = 56,
    E_SHENTSIZE = 58,
    E_SHNUM = 60,
    E_SHSTRNDX = 62,
};

/* Offsets in a header of a section. */
enum {
    SH_NAME = 0,
    SH_TYPE = 4,
    SH_FLAGS = 8,
    SH_ADDR = 16,
    SH_OFFSET = 24,
    SH_SIZE = 32,
    SH_LINK = 40,
    SH_INFO = 44,
    SH_ADDRALIGN = 48,
    SH_ENTSIZE = 56,
};

/* e_ident */
enum {
    EI_CLASS = 4,
    EI_DATA = 5,
    EI_VERSION = 6,
    EI_OSABI = 7,
    EI_ABIVERSION = 8,
    ELFCLASS32 = 1,
    ELFCLASS64 = 2,
    ELFDATA2LSB = 1,
    ELFOSABI_CUDA = 0x41,
    ABIVERSION_CUDA = 8,
    /* The values that ptxas 12.0 to 12.9 write for sm_50 to sm_90a. In such files, e_flags has the
     * form of EF_12_* below, which does not say which views the file has. */
    ELFOSABI_CUDA_12 = 0x33,
    ABIVERSION_CUDA_12 = 7,
};

/* nvcc -ewp writes ET_WHOLE_PROGRAM, an "extensible whole program". In such an object, each
 * kernel's code contains all functions that it calls except the device runtime, and offsets in its
 * shared memory are already assigned. */
enum { ET_REL = 1, ET_EXEC = 2, ET_WHOLE_PROGRAM = 0xff00 };
/* Size of an instruction of native code in bytes, from sm_70 on. */
enum { NATIVE_INSTRUCTION_SIZE = 16 };
enum { EM_X86_64 = 62, EM_AARCH64 = 183, EM_CUDA = 190 };

/* Bits of e_flags:
 *   7:0    EF_MERCURY_CODE if the file has Mercury code, otherwise EF_NATIVE_CODE
 *   23:8   the SM number (in all files that were observed, bits 23:16 are 0)
 *   31:24  the section index of .note.nv.cuinfo; 0xff if the index is above 255 */
enum { EF_NATIVE_CODE = 0x04, EF_MERCURY_CODE = 0x02 };

/* Bits of e_flags in ABI version 7:
 *   7:0    the SM number
 *   15:8   the flags below
 *   23:16  the virtual SM
 *   31:24  unknown meaning; nvlink 13.0.88 refuses files in which bit 31 (EF_12_UNKNOWN) is set
 * In these files, e_version is the toolkit version, the same number as in the cuinfo note (observed
 * for ptxas and nvJitLink 12.0 to 12.9). */
enum {
    EF_12_ALWAYS = 0x100,        /* set in every observed file */
    EF_12_64BIT_ADDRESS = 0x400, /* nvlink warns if this flag is missing; the name is nvlink's */
    EF_12_ACCELERATED = 0x800,   /* target with suffix a */
    EF_12_VIRTUAL_SM_SHIFT = 16,
};
#define EF_12_UNKNOWN UINT32_C(0x80000000)

enum {
    SHN_UNDEF = 0,
    SHN_LORESERVE = 0xff00,
    SHN_ABS = 0xfff1,
    SHN_COMMON = 0xfff2,
    SHN_XINDEX = 0xffff,
};

enum {
    SHF_WRITE = 1,
    SHF_ALLOC = 2,
    SHF_EXECINSTR = 4,
    SHF_INFO_LINK = 0x40,
    SHF_BARRIERS = 0x7f00000, /* number of barriers, in code sections of ptxas 12 */
    SHF_BARRIERS_SHIFT = 20,
    SHF_CUINFO_NOTE = 0x1000000, /* set on .note.nv.cuinfo */
    SHF_TKINFO_NOTE = 0x2000000, /* set on .note.nv.tkinfo */
    SHF_MERCURY = 0x10000000,    /* set on every section of the Mercury view */
};

/* The lower 24 bits of a code section's sh_info are the symbol index of its function. Up to sm_89,
 * the upper 8 bits are the function's register count. */
enum { ELF_CODE_SYMBOL_MASK = 0xffffff, ELF_CODE_REGISTERS_SHIFT = 24 };

enum { STB_LOCAL = 0, STB_GLOBAL = 1, STB_WEAK = 2 };

enum {
    STT_NOTYPE = 0,
    STT_OBJECT = 1,
    STT_FUNC = 2,
    STT_SECTION = 3,
    STT_FILE = 4,
    STT_CUDA_TEXTURE = 10,
    STT_CUDA_SAMPLER = 11,
    STT_CUDA_SURFACE = 12,
    STT_CUDA_OBJECT = 13, /* in relocatable files: a variable whose memory space is in st_other */
};

/* Bits of st_other, and values of these bits. */
enum {
    STO_VISIBILITY = 0x03, /* mask of the STV_* value */
    STV_INTERNAL = 1,      /* final links drop it, except textures, unless --preserve-relocs */
    STV_HIDDEN = 2,
    STV_PROTECTED = 3,
    STO_CUDA_MANAGED = 0x04,
    STO_CUDA_STICKY = 0x08, /* unknown meaning; no compiler sets it; see sticky_bits in resolve.c */
    STO_CUDA_ENTRY = 0x10,
    STO_CUDA_GLOBAL = 0x20,
    STO_CUDA_SHARED = 0x40,
    STO_CUDA_LOCAL = 0x60,
    STO_CUDA_CONSTANT = 0x80,
    STO_CUDA_RESERVED_SHARED = 0xa0,
    STO_CUDA_SPACE = 0xe0,
};

enum { PT_LOAD = 1, PT_PHDR = 6 };
enum { PF_X = 1, PF_W = 2, PF_R = 4 };

/* Types of notes with the name "NVIDIA Corp". */
enum { NT_CUINFO = 1000, NT_TKINFO = 2000 };

/* Headings in .nv.callgraph. The section is a list of pairs, and the pair (0, heading) starts a
 * group. The comments show the meaning of the other pairs of each group. */
enum {
    CALLGRAPH_CALLS = -1,            /* (caller, callee) */
    CALLGRAPH_ADDRESS_TAKEN = -2,    /* (function, offset of its prototype) */
    CALLGRAPH_INDIRECT_CALLERS = -3, /* (caller, offset of the prototype called) */
    CALLGRAPH_TAKES_ADDRESS = -4,    /* (function, function whose address it takes) */
    CALLGRAPH_GROUP_COUNT = 4,
};

#endif
