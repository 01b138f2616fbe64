"""The declarations of warpld.h for ctypes. tools/make-python-binding.py writes this file.

The names are those of the header without "warpld_". A program loads the library and calls declare:

    library = ctypes.CDLL("libwarpld.so")
    warpld_ctypes.declare(library)

Texts that the library returns are bytes. A program must keep a reference to each callback as long
as the link exists; warpld.h says what else must be kept."""

# SPDX-FileCopyrightText: The warpld authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure
from ctypes import c_bool, c_char_p, c_int, c_int64, c_size_t, c_uint, c_uint32, c_uint64, c_ulong
from ctypes import c_void_p

VERSION = "0.9.0"

# enum warpld_status
OK = 0
ERROR_ARGUMENT = 1
ERROR_FATAL = 2
ERROR_LINK = 3
ERROR_MEMORY = 4
ERROR_OUTPUT = 5
END = 6
ERROR_CANCELLED = 7

# enum warpld_severity
NOTE = 0
INFO = 1
WARNING = 2
ERROR = 3
FATAL = 4

# enum warpld_trace
TRACE_MERGE = 1
TRACE_LAYOUT = 2
TRACE_RELOCATE = 4
TRACE_UNIFIED = 8
TRACE_INFO = 16
TRACE_ALL = 31

# enum warpld_content
CONTENT_UNKNOWN = 0
CONTENT_CUBIN = 1
CONTENT_FATBIN = 2
CONTENT_HOST_OBJECT = 3
CONTENT_ARCHIVE = 4
CONTENT_PTX = 5
CONTENT_LTO_IR = 6
CONTENT_UNIFIED_INDEX = 7

# enum warpld_file_kind
FILE_INPUT = 0
FILE_LIBRARY = 1
FILE_MEMBER = 2

# enum warpld_symbol_kind
SYMBOL_OTHER = 0
SYMBOL_KERNEL = 1
SYMBOL_FUNCTION = 2
SYMBOL_GLOBAL = 3
SYMBOL_CONSTANT = 4
SYMBOL_SHARED = 5
SYMBOL_LOCAL = 6
SYMBOL_TEXTURE = 7

# enum warpld_log_form
LOG_TEXT = 0
LOG_JSON = 1

# enum warpld_space
SPACE_NONE = 0
SPACE_CODE = 1
SPACE_CONSTANT = 2
SPACE_GLOBAL = 3
SPACE_SHARED = 4
SPACE_LOCAL = 5

# enum warpld_piece_kind
PIECE_FILE_HEADER = 0
PIECE_SECTION = 1
PIECE_PADDING = 2
PIECE_SECTION_HEADERS = 3
PIECE_PROGRAM_HEADERS = 4
PIECE_INPUT = 5
PIECE_GENERATED = 6
PIECE_GAP = 7
PIECE_SYMBOL = 8

# enum warpld_removal
REMOVED_UNREFERENCED = 0
REMOVED_NO_HOST_REFERENCE = 1
REMOVED_NOT_USED_BY_OPTION = 2
REMOVED_BY_STRONG = 3
REMOVED_BY_WEAK = 4
REMOVED_DUPLICATE = 5
REMOVED_UNUSED_INPUT = 6

# enum warpld_mention_kind
MENTION_REFERENCE = 0
MENTION_USED = 1
MENTION_DISCARDED = 2
MENTION_SUPERSEDED = 3
MENTION_COMMON = 4

# enum warpld_why
WHY_KERNEL = 0
WHY_HOST_REFERENCE = 1
WHY_KERNELS_USED = 2
WHY_ADDRESS_TAKEN = 3
WHY_OPTION = 4
WHY_VARIABLE = 5
WHY_DRIVER = 6
WHY_UNDEFINED = 7
WHY_CALLED = 8
WHY_CALLED_INDIRECTLY = 9
WHY_ALIAS = 10
WHY_USED = 11

# enum warpld_resource
RESOURCE_REGISTERS = 0
RESOURCE_STACK = 1
RESOURCE_SHARED = 2


class Link(Structure):
    """Opaque."""


class Library(Structure):
    """Opaque."""


class Diagnostic(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("severity", c_int),
        ("code", c_char_p),
        ("text", c_char_p),
        ("input", c_char_p),
        ("symbol", c_char_p),
        ("section", c_char_p),
    ]


DiagnosticCallback = CFUNCTYPE(None, c_void_p, POINTER(Diagnostic))


class CompileRequest(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("ptx", c_void_p),
        ("ptx_size", c_size_t),
        ("architecture", c_char_p),
        ("debug", c_bool),
        ("options", c_char_p),
        ("is_input", c_bool),
        ("is_whole_program", c_bool),
        ("is_optimised", c_bool),
    ]


class CompileResult(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("cubin", c_void_p),
        ("cubin_size", c_size_t),
        ("problem", c_char_p),
        ("remedy", c_char_p),
        ("line", c_ulong),
    ]


CompileCallback = CFUNCTYPE(
    None, c_void_p, POINTER(CompileRequest), POINTER(CompileResult), c_size_t
)


ReportCompiledCallback = CFUNCTYPE(None, c_void_p, c_size_t)


ReleaseCallback = CFUNCTYPE(None, c_void_p, POINTER(CompileResult), c_size_t)


class Intermediate(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("data", c_void_p),
        ("data_size", c_size_t),
        ("is_fat_binary", c_bool),
        ("version", c_uint),
        ("minor", c_uint),
    ]


class KeptName(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("address_space", c_uint),
        ("variable_size", c_size_t),
    ]


class OptimiseRequest(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("architecture", c_char_p),
        ("debug", c_bool),
        ("inputs", POINTER(Intermediate)),
        ("inputs_count", c_size_t),
        ("kept", POINTER(KeptName)),
        ("kept_count", c_size_t),
        ("kernels_used", POINTER(c_char_p)),
        ("kernels_used_count", c_size_t),
        ("variables_used", POINTER(c_char_p)),
        ("variables_used_count", c_size_t),
        ("remove_unused_variables", c_bool),
        ("max_registers", c_uint),
        ("keep_all", c_bool),
        ("split_compile", c_uint),
        ("is_part", c_bool),
        ("compilation", POINTER(CompileRequest)),
    ]


class OptimiseResult(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("ptx", c_void_p),
        ("ptx_size", c_size_t),
        ("problem", c_char_p),
        ("remedy", c_char_p),
        ("object", c_void_p),
        ("object_size", c_size_t),
    ]


OptimiseCallback = CFUNCTYPE(None, c_void_p, POINTER(OptimiseRequest), POINTER(OptimiseResult))


ReleaseOptimisedCallback = CFUNCTYPE(None, c_void_p, POINTER(OptimiseResult))


class GraphFunction(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("is_removed", c_bool),
        ("is_entry", c_bool),
        ("is_address_taken", c_bool),
        ("has_register_count", c_bool),
        ("register_count", c_uint),
    ]


class CallGraph(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("architecture", c_char_p),
        ("objects_count", c_size_t),
        ("functions", POINTER(GraphFunction)),
        ("functions_count", c_uint32),
        ("nodes_count", c_uint32),
        ("callees_start", POINTER(c_uint32)),
        ("callees", POINTER(c_uint32)),
    ]


CallGraphCallback = CFUNCTYPE(None, c_void_p, POINTER(CallGraph))


class RaisedRegisters(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kernel", c_char_p),
        ("function", c_char_p),
        ("register_count", c_uint),
    ]


RaisedRegistersCallback = CFUNCTYPE(None, c_void_p, POINTER(RaisedRegisters))


class TraceLine(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("category", c_int),
        ("text", c_char_p),
    ]


TraceCallback = CFUNCTYPE(None, c_void_p, POINTER(TraceLine))


PassCallback = CFUNCTYPE(None, c_void_p, c_char_p)


class Statistics(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("files", c_size_t),
        ("input_bytes", c_uint64),
        ("objects", c_size_t),
        ("input_sections", c_size_t),
        ("relocations", c_size_t),
        ("names", c_size_t),
        ("functions", c_size_t),
        ("kernels", c_size_t),
        ("output_sections", c_size_t),
        ("output_symbols", c_size_t),
        ("output_bytes", c_uint64),
        ("memory", c_size_t),
        ("prepared_images", c_size_t),
    ]


class PreparedInput(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("data", c_void_p),
        ("data_size", c_size_t),
        ("device", c_uint64),
        ("inode", c_uint64),
        ("modified", c_int64),
        ("changed", c_int64),
        ("form", c_char_p),
    ]


FindPreparedCallback = CFUNCTYPE(
    c_bool, c_void_p, POINTER(PreparedInput), POINTER(c_void_p), POINTER(c_size_t)
)


CheckPreparedCallback = CFUNCTYPE(c_bool, c_void_p, c_void_p, c_size_t)


KeepPreparedCallback = CFUNCTYPE(None, c_void_p, POINTER(PreparedInput), c_void_p, c_size_t)


PollCallback = CFUNCTYPE(c_bool, c_void_p)


AllocateCallback = CFUNCTYPE(c_void_p, c_void_p, c_size_t)


FreeCallback = CFUNCTYPE(None, c_void_p, c_void_p)


class Options(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("architecture", c_char_p),
        ("diagnostic", DiagnosticCallback),
        ("diagnostic_context", c_void_p),
        ("debug", c_bool),
        ("verbose", c_bool),
        ("warnings_are_errors", c_bool),
        ("suppress_stack_size_warning", c_bool),
        ("extra_warnings", c_bool),
        ("kernels_used", POINTER(c_char_p)),
        ("kernels_used_count", c_size_t),
        ("variables_used", POINTER(c_char_p)),
        ("variables_used_count", c_size_t),
        ("ignore_host_references", c_bool),
        ("recorded_options", c_char_p),
        ("recorded_output", c_char_p),
        ("compile", CompileCallback),
        ("release_compiled", ReleaseCallback),
        ("compile_context", c_void_p),
        ("library_paths", POINTER(c_char_p)),
        ("library_paths_count", c_size_t),
        ("skip_linked_before", c_bool),
        ("keep_system_libraries", c_bool),
        ("suppress_arch_warning", c_bool),
        ("allow_empty", c_bool),
        ("allow_undefined_globals", c_bool),
        ("host_data", c_void_p),
        ("host_size", c_size_t),
        ("host_machine", c_uint),
        ("as_nvlink", c_bool),
        ("allow_newer_toolkit", c_bool),
        ("reserve_null_pointer", c_bool),
        ("no_shared_reservation", c_bool),
        ("force_addends", c_bool),
        ("no_debug_info", c_bool),
        ("call_graph", CallGraphCallback),
        ("raised_registers", RaisedRegistersCallback),
        ("call_graph_context", c_void_p),
        ("relocatable", c_bool),
        ("preserve_relocations", c_bool),
        ("threads", c_uint),
        ("pass_begins", PassCallback),
        ("pass_context", c_void_p),
        ("unified_index", c_void_p),
        ("unified_index_size", c_size_t),
        ("merge_constants", c_bool),
        ("remove_unused_constants", c_bool),
        ("trace", c_uint),
        ("trace_line", TraceCallback),
        ("trace_context", c_void_p),
        ("output_abi", c_uint),
        ("report_compiled", ReportCompiledCallback),
        ("extended_shared", c_bool),
        ("poll", PollCallback),
        ("poll_context", c_void_p),
        ("memory_limit", c_size_t),
        ("allocate", AllocateCallback),
        ("release", FreeCallback),
        ("memory_context", c_void_p),
        ("output_undefined", c_bool),
        ("optimise", OptimiseCallback),
        ("release_optimised", ReleaseOptimisedCallback),
        ("optimise_context", c_void_p),
        ("output_ptx", c_bool),
        ("optimise_partially", c_bool),
        ("optimise_whole_program", c_bool),
        ("own_register_limit", c_bool),
        ("durable_output", c_bool),
        ("map_inputs", c_bool),
        ("keep_log", c_bool),
        ("find_prepared", FindPreparedCallback),
        ("keep_prepared", KeepPreparedCallback),
        ("prepared_context", c_void_p),
        ("check_prepared", CheckPreparedCallback),
    ]


class Examined(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("content", c_int),
        ("problem", c_char_p),
        ("has_code", c_bool),
        ("has_ptx", c_bool),
        ("has_lto_ir", c_bool),
        ("lacks_target", c_bool),
        ("is_linked", c_bool),
    ]


class LinkedObject(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("module_id", c_char_p),
    ]


class ReadFile(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("path", c_char_p),
        ("data", c_void_p),
        ("data_size", c_size_t),
        ("archive", c_size_t),
        ("same_as", c_size_t),
        ("missing", c_bool),
    ]


class Symbol(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("section", c_char_p),
        ("input", c_char_p),
        ("address", c_uint64),
        ("bytes", c_uint64),
        ("index", c_uint32),
        ("kind", c_int),
        ("is_local", c_bool),
        ("is_weak", c_bool),
        ("is_defined", c_bool),
    ]


class Kernel(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("registers", c_uint32),
        ("barriers", c_uint32),
        ("stack_bytes", c_uint64),
        ("shared_bytes", c_uint64),
        ("constant_bytes", c_uint64),
        ("local_bytes", c_uint64),
        ("parameter_bytes", c_uint64),
        ("is_stack_known", c_bool),
        ("own_registers", c_uint32),
        ("registers_by", c_char_p),
        ("registers_by_number", c_uint32),
        ("function_number", c_uint32),
    ]


class Piece(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("kind", c_int),
        ("space", c_int),
        ("bank", c_int),
        ("section", c_char_p),
        ("input", c_char_p),
        ("input_section", c_char_p),
        ("symbol", c_char_p),
        ("function", c_char_p),
        ("offset", c_uint64),
        ("file_bytes", c_uint64),
        ("address", c_uint64),
        ("bytes", c_uint64),
        ("alignment", c_uint64),
        ("function_number", c_uint32),
        ("has_parts", c_bool),
        ("shares_bytes", c_bool),
    ]


class Removed(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("used", c_char_p),
        ("kind", c_int),
        ("reason", c_int),
        ("bytes", c_uint64),
    ]


class Mention(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("used", c_char_p),
        ("mention", c_int),
        ("kind", c_int),
        ("is_local", c_bool),
        ("is_weak", c_bool),
        ("is_removed", c_bool),
        ("is_of_linker", c_bool),
        ("bytes", c_uint64),
    ]


class Function(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("is_kernel", c_bool),
        ("is_kept", c_bool),
        ("is_defined", c_bool),
        ("is_address_taken", c_bool),
        ("is_local", c_bool),
        ("registers", c_uint32),
        ("frame_bytes", c_uint64),
        ("code_bytes", c_uint64),
    ]


class Step(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("by", c_char_p),
        ("why", c_int),
    ]


class Need(Structure):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("input", c_char_p),
        ("user", c_char_p),
        ("amount", c_uint64),
        ("address", c_uint64),
        ("is_called_indirectly", c_bool),
        ("is_recursive", c_bool),
    ]


def declare(library: ctypes.CDLL) -> None:
    """Gives the functions of the library their types."""
    library.warpld_version.restype = c_char_p
    library.warpld_version.argtypes = []
    library.warpld_version_number.restype = c_uint
    library.warpld_version_number.argtypes = []
    library.warpld_knows_architecture.restype = c_bool
    library.warpld_knows_architecture.argtypes = [c_char_p]
    library.warpld_output_abi.restype = c_uint
    library.warpld_output_abi.argtypes = [c_char_p]
    library.warpld_status_name.restype = c_char_p
    library.warpld_status_name.argtypes = [c_int]
    library.warpld_create.restype = c_int
    library.warpld_create.argtypes = [POINTER(Options), POINTER(POINTER(Link))]
    library.warpld_option_name.restype = c_char_p
    library.warpld_option_name.argtypes = [c_size_t]
    library.warpld_set_option.restype = c_int
    library.warpld_set_option.argtypes = [POINTER(Link), c_char_p, c_char_p]
    library.warpld_get_option.restype = c_int
    library.warpld_get_option.argtypes = [POINTER(Link), c_char_p, c_size_t, POINTER(c_char_p)]
    library.warpld_add_memory.restype = c_int
    library.warpld_add_memory.argtypes = [POINTER(Link), c_char_p, c_void_p, c_size_t]
    library.warpld_examine.restype = c_int
    library.warpld_examine.argtypes = [POINTER(Link), c_void_p, c_size_t, POINTER(Examined)]
    library.warpld_add_file.restype = c_int
    library.warpld_add_file.argtypes = [POINTER(Link), c_char_p]
    library.warpld_add_library.restype = c_int
    library.warpld_add_library.argtypes = [POINTER(Link), c_char_p]
    library.warpld_library_create.restype = c_int
    library.warpld_library_create.argtypes = [POINTER(POINTER(Library))]
    library.warpld_library_add_memory.restype = c_int
    library.warpld_library_add_memory.argtypes = [POINTER(Library), c_char_p, c_void_p, c_size_t]
    library.warpld_library_add_file.restype = c_int
    library.warpld_library_add_file.argtypes = [POINTER(Library), c_char_p]
    library.warpld_add_shared.restype = c_int
    library.warpld_add_shared.argtypes = [POINTER(Link), POINTER(Library)]
    library.warpld_library_destroy.restype = None
    library.warpld_library_destroy.argtypes = [POINTER(Library)]
    library.warpld_run.restype = c_int
    library.warpld_run.argtypes = [POINTER(Link)]
    library.warpld_run_all.restype = c_int
    library.warpld_run_all.argtypes = [POINTER(POINTER(Link)), POINTER(c_int), c_size_t, c_uint]
    library.warpld_get_linked_object.restype = c_int
    library.warpld_get_linked_object.argtypes = [POINTER(Link), c_size_t, POINTER(LinkedObject)]
    library.warpld_get_read_file.restype = c_int
    library.warpld_get_read_file.argtypes = [POINTER(Link), c_size_t, POINTER(ReadFile)]
    library.warpld_get_symbol.restype = c_int
    library.warpld_get_symbol.argtypes = [POINTER(Link), c_size_t, POINTER(Symbol)]
    library.warpld_get_kernel.restype = c_int
    library.warpld_get_kernel.argtypes = [POINTER(Link), c_size_t, POINTER(Kernel)]
    library.warpld_output.restype = c_int
    library.warpld_output.argtypes = [POINTER(Link), POINTER(c_void_p), POINTER(c_size_t)]
    library.warpld_write.restype = c_int
    library.warpld_write.argtypes = [POINTER(Link), c_char_p]
    library.warpld_get_log.restype = c_int
    library.warpld_get_log.argtypes = [POINTER(Link), c_int, POINTER(c_char_p), POINTER(c_size_t)]
    library.warpld_get_statistics.restype = c_int
    library.warpld_get_statistics.argtypes = [POINTER(Link), POINTER(Statistics)]
    library.warpld_get_piece.restype = c_int
    library.warpld_get_piece.argtypes = [POINTER(Link), c_size_t, POINTER(Piece)]
    library.warpld_get_removed.restype = c_int
    library.warpld_get_removed.argtypes = [POINTER(Link), c_size_t, POINTER(Removed)]
    library.warpld_get_mention.restype = c_int
    library.warpld_get_mention.argtypes = [POINTER(Link), c_size_t, POINTER(Mention)]
    library.warpld_get_function.restype = c_int
    library.warpld_get_function.argtypes = [POINTER(Link), c_size_t, POINTER(Function)]
    library.warpld_get_call_graph.restype = c_int
    library.warpld_get_call_graph.argtypes = [POINTER(Link), POINTER(CallGraph)]
    library.warpld_get_step.restype = c_int
    library.warpld_get_step.argtypes = [POINTER(Link), c_char_p, c_size_t, POINTER(Step)]
    library.warpld_get_need.restype = c_int
    library.warpld_get_need.argtypes = [POINTER(Link), c_size_t, c_int, c_size_t, POINTER(Need)]
    library.warpld_destroy.restype = None
    library.warpld_destroy.argtypes = [POINTER(Link)]
