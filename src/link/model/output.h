/* The plan of the output: sections as lists of chunks, records, symbol lists. */
#ifndef WARPLD_LINK_MODEL_OUTPUT_H
#define WARPLD_LINK_MODEL_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/scale.h"
#include "format/elf_view.h"
#include "format/section_type.h"
#include "link/model/linked_names.h"

struct input_object;
struct linked_name;
struct shared_variable;
struct symbol;
struct function;

/* What makes a section's bytes. */
enum section_content {
    CONTENT_NONE,        /* no bytes in the file */
    CONTENT_CHUNKS,      /* copied from inputs */
    CONTENT_RELOCATIONS, /* what is left of the inputs' relocations, reversed */
    CONTENT_RECORDS,     /* attributes */
    CONTENT_BYTES,       /* made by a pass: `bytes` */
    CONTENT_ENTRIES,     /* of a unified table */
    CONTENT_SYMBOLS,     /* .symtab */
    CONTENT_NAMES,       /* .shstrtab */
    CONTENT_STRINGS,     /* .strtab */
    CONTENT_INDICES,     /* .symtab_shndx */
};

/* Where a section stands in the file: sections are sorted by rank, stably. */
enum section_rank {
    RANK_HEADER,
    RANK_DEBUG,
    RANK_METADATA,
    RANK_RELOCATIONS,
    RANK_CONSTANT,
    RANK_TEXT,
    RANK_DATA,
    RANK_NOBITS,
    /* Of targets with the Mercury view only. */
    RANK_INDICES,
    RANK_PARAMETERS,
    RANK_MERCURY_TEXT,
    RANK_MERCURY_EARLY_SYMBOLS, /* from release 13.5 on, as in the native view; so is the code */
    RANK_MERCURY_EARLY_INDICES, /* see decide_index_table in symtab.c */
    RANK_MERCURY_DEBUG,
    RANK_MERCURY_METADATA,
    RANK_MERCURY_RELOCATIONS,
    RANK_MERCURY_CONSTANT,
    RANK_MERCURY_LATE_TEXT,
    RANK_MERCURY_DATA,
    RANK_MERCURY_NOBITS,
    RANK_MERCURY_INDICES,
    RANK_MERCURY_SYMBOLS,
    RANK_COUNT,
};

/* A piece of an output section that comes from one input section, or is made by a pass. */
struct chunk {
    struct input_object *object;
    const struct elf_section *input; /* the section; both are NULL when a pass made it */
    uint64_t offset; /* in the output section; of relocations: the number of the first of all */
    uint64_t size;
    const uint8_t *bytes; /* the input's, or in their place; NULL: it has none in the file */
};

/* The views that a record is in, as bits. */
enum { IN_NATIVE = 1 << VIEW_NATIVE, IN_MERCURY = 1 << VIEW_MERCURY };

/* How a record's payload is held. */
enum record_payload {
    PAYLOAD_BYTES,    /* symbol words in them are indices into the object's symbol table */
    PAYLOAD_OF_VIEWS, /* bytes that differ: offsets count expanded code in the Mercury view */
    PAYLOAD_SYMBOLS,  /* EXTERNS: these symbols, one a word */
};

struct view_payloads {
    const uint8_t *native;
    const uint8_t *mercury;
    uint16_t mercury_size;
};

/* One attribute record. */
struct output_record {
    union {
        const uint8_t *payload;
        const struct view_payloads *views;
        struct symbol *const *symbols;
    };
    uint32_t object; /* position of the one whose symbols the payload's words are */
    uint16_t value;  /* of formats BYTE and HALF; length of the (native) payload of SIZED */
    uint8_t code;    /* EIATTR_ERROR: taken out */
    uint8_t format : 3;
    uint8_t only : 2;         /* IN_*: of one view only; 0: of both */
    uint8_t payload_kind : 2; /* enum record_payload */
};
_Static_assert(sizeof(struct output_record) <= 16, "there are many");

/* A relocation that the linker adds. */
struct added_relocation {
    uint64_t offset;
    uint32_t type;
    struct symbol *symbol;
};

/* What sections have that are there twice, and those whose names may stand repeatedly. */
struct other_view {
    struct linked_name *merged_name; /* by which strings and counterpart know it; mostly its name */
    struct output_section *counterpart; /* the same in the other view, or NULL */
    uint32_t name_offset;   /* of names that may stand repeatedly: of Mercury sections, of */
    uint32_t string_offset; /* parameter banks beside them; the same in .strtab */
};

/* What few sections have. */
struct rare_section {
    GROWING_ARRAY(struct output_record, appended_records); /* stand behind the inputs' */
    GROWING_ARRAY(struct output_record, tail_records);     /* stand last, in order; native only */
    GROWING_ARRAY(struct chunk, late_chunks); /* of relocations: stand behind, see apply.c */
    GROWING_ARRAY(struct added_relocation, added);
    GROWING_ARRAY(struct shared_variable *, reserved); /* of .nv.shared.reserved.N */
    struct output_section *resolved; /* of its relocations, those that the link resolves */
    struct output_section *slot_rel; /* of texture slots in a parameter bank */
    const uint8_t *bytes;            /* made by a pass */
    uint64_t entry_size;             /* adopted, see output_adopt_header */
    uint32_t link_number;            /* the same for sh_link */
};

/* What most passes ask for comes first: a link of many objects has a hundred thousand of them, and
 * waits for memory. */
struct output_section {
    struct linked_name *name;
    uint64_t size;
    uint32_t type;
    uint32_t creation;     /* creation number, counting dropped sections */
    uint32_t index;        /* final; 0 when it is not in the output */
    uint32_t symbol_index; /* of its section symbol, 0 none */
    uint32_t alignment;    /* at most ELF_LARGEST_ALIGNMENT */
    union {
        uint32_t bare_list; /* index + 1 among the left names, 0 none: of code its .rel list, of a
                               parameter bank that of its texture slots */
        uint32_t written;   /* entries of a list of relocations; bytes of records and strings */
    };
    uint8_t rank;      /* enum section_rank */
    uint8_t content;   /* enum section_content */
    int8_t bank;       /* of constants; -1 for everything else */
    uint8_t info_high; /* in the highest byte above sh_info: registers */
    uint8_t entry_size;
    uint8_t view : 1; /* enum code_view */
    bool dropped : 1;
    bool has_first_name : 1;       /* of code: a function symbol with its size is written */
    bool nameless : 1;             /* dropped, and its name is in no string table either */
    bool has_symbol : 1;           /* gets a section symbol when it has a size */
    bool keep_empty : 1;           /* stays in the output with size 0 */
    bool changes_bytes : 1;        /* of a list: some entry does */
    bool info_is_function : 1;     /* sh_info is the symbol of the function that it belongs to */
    bool names_symbols : 1;        /* sh_link is the symbol table */
    struct other_view *other_view; /* NULL: it has none, and one name */
    uint64_t offset;               /* in the file */
    uint64_t flags;
    union {
        struct {
            GROWING_ARRAY(struct output_record, records); /* of CONTENT_RECORDS */
        };
        struct {
            GROWING_ARRAY(struct chunk, chunks); /* of all others */
        };
    };
    struct output_section *info; /* sh_info as a section */
    struct function *owner;      /* the function that the section belongs to, or NULL */
    struct output_section *rel;  /* its relocations, in place */
    struct output_section *rela; /* and with addends */
    struct rare_section *rare;   /* NULL: it has none of that; see output_rare */
};
_Static_assert(sizeof(struct output_section) <= 128, "there are many");

static inline uint64_t output_bytes_in_file(const struct output_section *section)
{
    return section->content == CONTENT_NONE ? 0 : section->size;
}

/* A section that is nothing but its name. As many links of many objects have as functions, so what
 * stands in the lists of sections and local symbols in its place is the output's bare_section. */
struct bare_name {
    struct linked_name *name; /* NULL: a section came to be there after all */
    uint32_t creation;
    uint32_t section_place; /* in `sections` */
    uint32_t local_place;   /* in `locals` */
};

/* Smaller sections are written together with their neighbours, see write.c. */
enum { LARGE_SECTION_SIZE = LARGE_FROM(256 << 10, 16) };

enum window_kind {
    WINDOW_WHOLE,
    WINDOW_STRAIGHT, /* nothing but a large section whose bytes are those of the inputs */
    WINDOW_IN_PARTS, /* nothing but a large section, which goes to a file in parts: see
                        write_parts.h */
};

/* A range of the file. A section is in one window with all its bytes, each section header too. (A
 * part of a section that goes to the file in parts is written as a window of its own.) */
struct file_window {
    uint64_t start; /* offset in the file */
    uint64_t size;
    uint32_t first_section; /* in the file's order */
    uint32_t end_section;
    uint8_t kind;   /* enum window_kind */
    uint8_t *bytes; /* while it is written; zeroed before */
};

struct program_header {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t file_size;
    uint64_t memory_size;
};

enum { MAX_SEGMENTS = 6 };

struct output {
    GROWING_ARRAY(struct output_section *, sections); /* in creation order; with bare_section */
    /* Local symbols in creation order: of sections, each of which has a place here (its name goes
     * into .strtab) though only some get a symbol; symbol_slot stands for the next of the others.
     */
    GROWING_ARRAY(struct output_section *, locals);
    GROWING_ARRAY(struct symbol *, local_symbols);
    GROWING_ARRAY(struct symbol *, globals);
    GROWING_ARRAY(struct bare_name, bare_names);      /* in creation order */
    struct output_section *bare_section;              /* dropped and nameless */
    struct output_section *symbol_slot;               /* no section */
    struct arena_row section_rows[RANK_COUNT];        /* sections stand as in the file, nearly, */
    struct arena_row chunk_rows[RANK_COUNT];          /* and so do their first chunks */
    GROWING_ARRAY(struct output_section *, reserved); /* .nv.shared.reserved.N with variables */
    GROWING_ARRAY(struct output_section *, late);     /* whose symbols stand last: native only */
    GROWING_ARRAY(struct output_section *, banks);    /* those with bank >= 0 */
    GROWING_ARRAY(struct linked_name *, prototypes);  /* first strings of .strtab */
    struct output_section **ordered;                  /* final order; [0] is the null section */
    uint32_t ordered_count;
    uint32_t rank_start[RANK_COUNT + 1]; /* places in it */
    uint32_t ranks_without_bytes;   /* as bits: some section of the rank has none in the file */
    GROWING_ARRAY(uint32_t, large); /* places in it of sections of LARGE_SECTION_SIZE or more */
    uint32_t symbol_count;
    uint32_t first_global;
    bool has_late_symbols;
    uint32_t function_count;       /* function symbols created */
    uint32_t next_creation;        /* number of the next section */
    uint64_t null_symbol_value;    /* of symbol 0 for relocations, see layout_constant.c */
    uint64_t null_symbol_reserves; /* stands in the symbol on top of it, see layout_shared.c */
    GROWING_ARRAY(const struct linked_name *, strtab); /* the strings, in order */
    GROWING_ARRAY(const struct linked_name *, shstrtab);
    uint64_t strtab_size;
    uint64_t strtab_gap; /* bytes behind it, see symtab.c */
    uint64_t shstrtab_size;
    uint64_t shstrtab_gap;    /* bytes behind it, see symtab.c */
    uint64_t section_headers; /* file offsets of the tables */
    uint64_t program_headers;
    struct program_header segments[MAX_SEGMENTS];
    uint32_t segment_count;
    uint64_t size;
    struct output_section *section_names, *string_table, *symbol_table, *index_table, *tool_note,
        *cuda_note, *info, *compat, *callgraph, *prototype, *function_data, *global, *shared_file,
        *mercury_symbols;
};

struct warpld_link;

/* Kinds of sections; section_shape.def tells what each looks like. */
enum section_shape {
#define SECTION_SHAPE(kind, type, flags, alignment, entry_size, rank, content, symbol,             \
                      counterpart)                                                                 \
    SHAPE_##kind,
#include "link/model/section_shape.def"
#undef SECTION_SHAPE
    SHAPE_NONE,
};

/* A zeroed one behind the others. */
struct chunk *output_add_chunk(struct warpld_link *link, struct output_section *section);

/* Appends bytes made of a whole input section, in this view only; returns their offset. */
uint64_t output_append_bytes(struct warpld_link *link, struct output_section *section,
                             struct input_object *object, uint32_t input_section,
                             struct bytes bytes);

/* Makes it one of constants. */
void output_set_bank(struct warpld_link *link, struct output_section *section, int bank);

/* A new section, even if one of that name exists: two static functions of one name have two
 * sections of one name. */
struct output_section *output_add(struct warpld_link *link, const char *name,
                                  enum section_shape shape);

struct output_section *output_add_as(struct warpld_link *link, struct linked_name *name,
                                     enum section_shape shape);

/* Its form in the Mercury view. Sections of most shapes come to be with it. */
void output_add_counterpart(struct warpld_link *link, struct output_section *section,
                            enum section_shape counterpart);

/* The same for a section that will have no contents, and no form in the other view: the index of
 * its left name. Should it have some after all, it comes to be in its place. */
uint32_t output_add_bare_name(struct warpld_link *link, struct linked_name *name);
struct output_section *output_fill_bare_name(struct warpld_link *link, uint32_t bare_name,
                                             enum section_shape shape);

/* The section of that name, made when there is none. */
struct output_section *output_named(struct warpld_link *link, struct linked_name *name,
                                    enum section_shape shape);
struct output_section *output_add_shared(struct warpld_link *link, const char *name,
                                         enum section_shape shape);

/* The section of that name; NULL when there is none. */
struct output_section *output_find(const struct warpld_link *link, const char *name);

static inline const char *section_name(struct warpld_link *link,
                                       const struct output_section *section)
{
    return linked_name_text(link, section->name);
}

/* A new section of the function. */
struct output_section *output_add_of_function(struct warpld_link *link, struct linked_name *name,
                                              struct function *function, enum section_shape shape);

/* The section of that name, the kernel's in it, made when there is none: nvlink finds a kernel's
 * banks and shared memory by name, so two static kernels of one name share them (observed). In a
 * relocatable output each keeps its own, so that the final link sees what it would see directly. */
struct output_section *output_add_named_after(struct warpld_link *link, struct linked_name *name,
                                              struct function *function, enum section_shape shape);

/* .nv.constant0.K together with its .rel.nv.constant0.K, found by name too. */
struct output_section *output_add_parameters(struct warpld_link *link, struct function *function);

/* The relocations of texture slots of a parameter bank, in its view, made when there are none. With
 * Mercury code both views have them, and when all slots are added, output_settle_slots puts these
 * banks behind what was created before. */
struct output_section *output_slots(struct warpld_link *link, struct output_section *bank);
void output_settle_slots(struct warpld_link *link);

/* To read what few sections have, and to write it. */
static inline const struct rare_section *output_rare(const struct output_section *section)
{
    static const struct rare_section NONE;
    return section->rare ? section->rare : &NONE;
}
struct rare_section *output_add_rare(struct warpld_link *link, struct output_section *section);

/* Memory and debug sections have sh_link and sh_entsize of the first input section of their name,
 * the link as the number that it was there. It means nothing, nor does the size; no compiler writes
 * either (observed with patched objects; from sm_100 on the Mercury form has the size alone). */
void output_adopt_header(struct warpld_link *link, struct output_section *section,
                         const struct elf_view *view, uint32_t input);

static inline bool output_is_relocated(const struct output_section *section)
{
    return section->rel || section->rela || output_rare(section)->slot_rel;
}

/* The same section in the other view, or NULL. */
static inline struct output_section *output_counterpart(const struct output_section *section)
{
    return section->other_view ? section->other_view->counterpart : NULL;
}

/* By which strings and counterpart know it. */
static inline struct linked_name *output_merged_name(const struct output_section *section)
{
    return section->other_view ? section->other_view->merged_name : section->name;
}

/* That of its symbol in a view; merged: compiler-made constants have one in both. */
static inline struct linked_name *output_symbol_name(const struct output_section *section,
                                                     enum code_view view, bool merged)
{
    bool is_merged = view == VIEW_MERCURY || (merged && section->bank == CONSTANT_BANK_COMPILER);
    return is_merged ? output_merged_name(section) : section->name;
}

struct other_view *output_add_other_view(struct warpld_link *link, struct output_section *section);

/* True if the section's own symbol reaches the output: both views have it if one has bytes, as
 * when no frame description is left natively (observed). */
static inline bool output_section_has_symbol(const struct output_section *section)
{
    bool has_bytes =
        section->size > 0 || (output_counterpart(section) && output_counterpart(section)->size > 0);
    return section->has_symbol && !section->dropped && has_bytes;
}

/* Gives a symbol its place in the list of local or global symbols, the first time. */
void output_place_symbol(struct warpld_link *link, struct symbol *symbol);
void output_add_local_symbol(struct warpld_link *link, struct symbol *symbol);

/* Takes symbols out of the list of local ones. */
void output_take_out(struct output *output, bool (*goes)(const struct symbol *symbol));

/* What was appended to the section, in this view, is now these bytes. */
void output_replace(struct warpld_link *link, struct output_section *section, struct bytes bytes);

/* Takes out what was appended, in both views. */
void output_empty(struct output_section *section);

/* Appends a whole input section, and its form in the other view; returns its offset. */
uint64_t output_append(struct warpld_link *link, struct output_section *section,
                       struct input_object *object, uint32_t input_section);

#endif
